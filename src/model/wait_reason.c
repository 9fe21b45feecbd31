/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wait reason: the table, the first row that fits decides. */
#include "model/wait_reason.h"

#include <stddef.h>
#include <string.h>

#include "base/attributes.h"

#define DEVICE_NEXT "see the await of its device, dmesg"
#define FROZEN                                                             \
	"frozen fs?", "a frozen file system",                              \
		"see fsfreeze, snapshots"
#define JOURNAL "journal", "the journal of its file system"
#define PAGE    "device", "a page of a file from its device"
#define NFS     "NFS server", "an answer of the NFS server"

static const struct wait_reason rows[] = {
	/* fs/super.c: sb_start_write() takes the percpu_rw_semaphore of the
	 * freeze (kernel/locking/percpu-rwsem.c). */
	{ "percpu_rwsem_wait", FROZEN },
	{ "__percpu_down_read", FROZEN },
	{ "percpu_down_read", FROZEN },
	{ "__sb_start_write", FROZEN },
	/* mm/page-writeback.c */
	{ "balance_dirty_pages", "dirty limit",
	  "writeback, as dirty pages are at their limit",
	  "see the slowest device that is written to, vm.dirty_bytes" },
	/* fs/fs-writeback.c: sync(2), syncfs(2) */
	{ "wb_wait_for_completion", "writeback", "writeback that it asked for",
	  "see w_await of the devices" },
	{ "wait_sb_inodes", "writeback", "writeback that it asked for",
	  "see w_await of the devices" },
	/* fs/jbd2, fs/ext4, fs/xfs/xfs_log.c, fs/btrfs/transaction.c */
	{ "jbd2_", JOURNAL, "see w_await and flushes of its device" },
	{ "wait_transaction_", JOURNAL, "see w_await and flushes of its device" },
	{ "start_this_handle", JOURNAL, "see w_await and flushes of its device" },
	{ "add_transaction_credits", JOURNAL,
	  "see w_await and flushes of its device" },
	{ "do_get_write_access", JOURNAL,
	  "see w_await and flushes of its device" },
	{ "xlog_", JOURNAL, "see w_await and flushes of its device" },
	{ "xfs_log_", JOURNAL, "see w_await and flushes of its device" },
	{ "wait_current_trans", JOURNAL,
	  "see w_await and flushes of its device" },
	{ "btrfs_commit_transaction", JOURNAL,
	  "see w_await and flushes of its device" },
	/* fs/nfs, net/sunrpc/sched.c */
	{ "rpc_wait_bit", NFS, "see nfsstat, mountstats, the network" },
	{ "__rpc_", NFS, "see nfsstat, mountstats, the network" },
	{ "nfs", NFS, "see nfsstat, mountstats, the network" },
	/* fs/smb/client, fs/ceph, fs/fuse/dev.c */
	{ "cifs_", "SMB server", "an answer of the SMB server",
	  "see the network" },
	{ "smb2_", "SMB server", "an answer of the SMB server",
	  "see the network" },
	{ "ceph_", "Ceph", "an answer of Ceph", "see ceph -s" },
	{ "request_wait_answer", "FUSE program",
	  "the program that serves its FUSE file system",
	  "see whether that program runs" },
	{ "fuse_", "FUSE program",
	  "the program that serves its FUSE file system",
	  "see whether that program runs" },
	/* block/blk-rq-qos.c */
	{ "rq_qos_wait", "I/O control",
	  "its turn under writeback throttling, io.latency or io.cost",
	  "see wbt_lat_usec, io.latency" },
	{ "blkcg_maybe_throttle", "I/O control",
	  "its turn under the I/O control of its group", "see io.latency" },
	/* block/blk-mq-tag.c, block/blk-core.c */
	{ "blk_mq_get_tag", "queue full", "a free request of the queue",
	  "see nr_requests, the scheduler" },
	{ "blk_queue_enter", "queue frozen",
	  "a queue that the kernel holds for a change of its settings", NULL },
	{ "__bio_queue_enter", "queue frozen",
	  "a queue that the kernel holds for a change of its settings", NULL },
	{ "blk_mq_freeze_queue", "queue drain",
	  "the end of all I/O of a queue whose settings it changes", NULL },
	/* drivers/md */
	{ "md_", "RAID", "the RAID below (check, resync, a slow member)",
	  "see /proc/mdstat" },
	{ "raid", "RAID", "the RAID below (check, resync, a slow member)",
	  "see /proc/mdstat" },
	/* mm/vmscan.c, mm/memcontrol.c */
	{ "reclaim_throttle", "free memory", "memory that must become free",
	  "see which process takes memory" },
	{ "throttle_direct_reclaim", "free memory",
	  "memory that must become free", "see which process takes memory" },
	{ "shrink_", "free memory", "memory that must become free",
	  "see which process takes memory" },
	{ "mem_cgroup_handle_over_high", "memory.high",
	  "the memory limit of its control group", "see memory.high" },
	{ "swap_", "swap", "a page from swap", "see which process takes memory" },
	/* mm/filemap.c */
	{ "folio_wait_", PAGE, DEVICE_NEXT },
	{ "wait_on_page_", PAGE, DEVICE_NEXT },
	{ "__folio_lock", PAGE, DEVICE_NEXT },
	{ "__lock_page", PAGE, DEVICE_NEXT },
	{ "filemap_", PAGE, DEVICE_NEXT },
	/* block/fops.c, fs/direct-io.c, fs/iomap, block/bio.c, block/blk-core.c:
	 * direct I/O, superblocks, flushes */
	{ "blkdev_", "device", "its device", DEVICE_NEXT },
	{ "__blkdev_", "device", "its device", DEVICE_NEXT },
	{ "iomap_dio", "device", "its device", DEVICE_NEXT },
	{ "__iomap_dio", "device", "its device", DEVICE_NEXT },
	{ "dio_await", "device", "its device", DEVICE_NEXT },
	{ "do_blockdev_direct_IO", "device", "its device", DEVICE_NEXT },
	{ "submit_bio_wait", "device", "its device", DEVICE_NEXT },
	{ "bio_await", "device", "its device", DEVICE_NEXT },
	{ "blk_io_schedule", "device", "its device", DEVICE_NEXT },
	{ "blk_wait_io", "device", "its device", DEVICE_NEXT },
	{ "blk_execute_rq", "device", "a command of its device", DEVICE_NEXT },
	{ "wait_on_buffer", "device", "a block from its device", DEVICE_NEXT },
	{ "__wait_on_buffer", "device", "a block from its device",
	  DEVICE_NEXT },
	{ "io_schedule", "device", "its device", DEVICE_NEXT },
	{ "do_exit", "exit", "the end of its own I/O", NULL },
	/* kernel/locking */
	{ "rwsem_", "lock", "a lock that another task holds",
	  "see the other tasks in D" },
	{ "__down", "lock", "a lock that another task holds",
	  "see the other tasks in D" },
	{ "down_", "lock", "a lock that another task holds",
	  "see the other tasks in D" },
	{ "mutex_", "lock", "a lock that another task holds",
	  "see the other tasks in D" },
	{ "__mutex_lock", "lock", "a lock that another task holds",
	  "see the other tasks in D" },
	{ "inode_dio_wait", "lock", "direct I/O of others to its file",
	  "see the other tasks in D" },
	{ "d_alloc_parallel", "lock", "a directory that another task reads",
	  "see the other tasks in D" },
};

const struct wait_reason *wait_reason_of(const char *function)
{
	/* Most tasks wait for nothing. */
	if (!function || !*function)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strncmp(function, rows[i].function,
			     strlen(rows[i].function)))
			return &rows[i];
	return NULL;
}
