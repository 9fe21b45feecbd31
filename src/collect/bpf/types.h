/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The members of the kernel's structs that the programs read. Their offsets are
 * those of the running kernel: libbpf puts them in when it loads the programs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef int32_t __s32;
typedef int64_t __s64;
typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint32_t __wsum;

/* <linux/bpf.h> */
enum { BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_LRU_HASH = 9 };
enum { BPF_ANY, BPF_F_MMAPABLE = 1 << 10 };

#ifdef __bpf__
#define KERNEL __attribute__((preserve_access_index))
#else
#define KERNEL
#endif

/* What follows three underscores is no part of the kernel's name. */

struct gendisk {
	int major, first_minor;
} KERNEL;

struct request_queue {
	struct gendisk *disk;
} KERNEL;

struct kernfs_node {
	uint64_t id;
} KERNEL;

struct cgroup {
	struct kernfs_node *kn;
} KERNEL;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
} KERNEL;

struct blkcg {
	struct cgroup_subsys_state css;
} KERNEL;

struct blkcg_gq {
	struct blkcg *blkcg;
} KERNEL;

struct block_device;

struct super_block {
	uint32_t s_dev;
	struct block_device *s_bdev;
} KERNEL;

struct hlist_node {
	struct hlist_node *next;
} KERNEL;

struct hlist_head {
	struct hlist_node *first;
} KERNEL;

struct qstr {
	const unsigned char *name;
} KERNEL;

struct dentry {
	struct qstr d_name;
	union {
		struct hlist_node d_alias;
	} d_u;
} KERNEL;

struct dentry___alias {
	struct hlist_node d_alias; /* since Linux 7 */
} KERNEL;

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
	struct hlist_head i_dentry;
} KERNEL;

struct file {
	struct inode *f_inode;
} KERNEL;

struct address_space {
	struct inode *host;
} KERNEL;

struct page___any {
	struct address_space *mapping;
} KERNEL;

struct bio_vec {
	struct page___any *bv_page;
} KERNEL;

struct bvec_iter {
	uint64_t bi_sector;
	unsigned int bi_size;
} KERNEL;

struct block_device {
	uint32_t bd_dev;
	struct gendisk *bd_disk;
} KERNEL;

struct bio {
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	uint8_t bi_status;
	struct bvec_iter bi_iter;
	struct blkcg_gq *bi_blkg;
	struct bio_vec *bi_io_vec;
} KERNEL;

struct bio___disk {
	struct gendisk *bi_disk; /* up to Linux 5.11 */
} KERNEL;

struct request___any {
	struct request_queue *q;
	struct gendisk *rq_disk; /* up to Linux 5.16 */
	unsigned int cmd_flags;
	uint32_t rq_flags;
	unsigned int __data_len;
	uint64_t __sector;
	struct bio *bio;
	uint64_t start_time_ns;
} KERNEL;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} KERNEL;

struct files_struct {
	struct fdtable *fdt;
} KERNEL;

struct sched_entity {
	uint64_t sum_exec_runtime;
} KERNEL;

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
} KERNEL;

struct task_io_accounting {
	uint64_t read_bytes, write_bytes;
} KERNEL;

struct signal_struct {
	int nr_threads;
} KERNEL;

struct task_struct {
	unsigned int __state; /* Linux 5.14 */
	int exit_state;
	unsigned int flags;
	int pid, tgid;
	struct task_struct *real_parent;
	unsigned long min_flt, maj_flt;
	struct signal_struct *signal;
	uint64_t start_boottime;
	struct sched_entity se;
	struct sched_info sched_info;
	struct task_io_accounting ioac;
	struct files_struct *files;
	struct task_struct *group_leader;
	char comm[16];
} KERNEL;

/* Before Linux 5.14. */
struct task_struct___long {
	long state;
} KERNEL;

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
} KERNEL;

/* The context of a program that is called for each task; NULL: the end. */
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct pt_regs {
	unsigned long di; /* x86-64 */
} KERNEL;

#undef KERNEL
