/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wait reason: the table, the first row that fits decides. */
#include "model/wait_reason.h"

#include <stddef.h>

#include "base/attributes.h"
#include "base/text.h"

#define DEVICE_NEXT "see the await of its device, dmesg"

static const struct wait_reason rows[] = {
	/* fs/super.c: sb_start_write() takes the percpu_rw_semaphore of the
	 * freeze (kernel/locking/percpu-rwsem.c). */
	{ "percpu_rwsem_wait __percpu_down_read percpu_down_read "
	  "__sb_start_write",
	  "frozen fs?", "a frozen file system", "see fsfreeze, snapshots" },
	/* mm/page-writeback.c */
	{ "balance_dirty_pages", "dirty limit",
	  "writeback, as dirty pages are at their limit",
	  "see the slowest device that is written to, vm.dirty_bytes" },
	/* fs/fs-writeback.c: sync(2), syncfs(2) */
	{ "wb_wait_for_completion wait_sb_inodes", "writeback",
	  "writeback that it asked for", "see w_await of the devices" },
	/* fs/jbd2, fs/ext4, fs/xfs/xfs_log.c, fs/btrfs/transaction.c */
	{ "jbd2_ wait_transaction_ start_this_handle add_transaction_credits "
	  "do_get_write_access xlog_ xfs_log_ wait_current_trans "
	  "btrfs_commit_transaction",
	  "journal", "the journal of its file system",
	  "see w_await and flushes of its device" },
	/* fs/nfs, net/sunrpc/sched.c */
	{ "rpc_wait_bit __rpc_ nfs", "NFS server",
	  "an answer of the NFS server",
	  "see nfsstat, mountstats, the network" },
	/* fs/smb/client, fs/ceph, fs/fuse/dev.c */
	{ "cifs_ smb2_", "SMB server", "an answer of the SMB server",
	  "see the network" },
	{ "ceph_", "Ceph", "an answer of Ceph", "see ceph -s" },
	{ "request_wait_answer fuse_", "FUSE program",
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
	{ "blk_queue_enter __bio_queue_enter", "queue frozen",
	  "a queue that the kernel holds for a change of its settings", NULL },
	{ "blk_mq_freeze_queue", "queue drain",
	  "the end of all I/O of a queue whose settings it changes", NULL },
	/* drivers/md */
	{ "md_ raid", "RAID", "the RAID below (check, resync, a slow member)",
	  "see /proc/mdstat" },
	/* mm/vmscan.c, mm/memcontrol.c */
	{ "reclaim_throttle throttle_direct_reclaim shrink_", "free memory",
	  "memory that must become free", "see which process takes memory" },
	{ "mem_cgroup_handle_over_high", "memory.high",
	  "the memory limit of its control group", "see memory.high" },
	{ "swap_", "swap", "a page from swap", "see which process takes memory" },
	/* mm/filemap.c */
	{ "folio_wait_ wait_on_page_ __folio_lock __lock_page filemap_",
	  "device", "a page of a file from its device", DEVICE_NEXT },
	/* block/fops.c, fs/direct-io.c, fs/iomap, block/bio.c, block/blk-core.c:
	 * direct I/O, superblocks, flushes */
	{ "blkdev_ __blkdev_ iomap_dio __iomap_dio dio_await "
	  "do_blockdev_direct_IO submit_bio_wait bio_await blk_io_schedule "
	  "blk_wait_io",
	  "device", "its device", DEVICE_NEXT },
	{ "blk_execute_rq", "device", "a command of its device", DEVICE_NEXT },
	{ "wait_on_buffer __wait_on_buffer", "device",
	  "a block from its device", DEVICE_NEXT },
	{ "io_schedule", "device", "its device", DEVICE_NEXT },
	{ "do_exit", "exit", "the end of its own I/O", NULL },
	/* kernel/locking */
	{ "rwsem_ __down down_ mutex_ __mutex_lock", "lock",
	  "a lock that another task holds", "see the other tasks in D" },
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
		if (text_begins(function, rows[i].functions))
			return &rows[i];
	return NULL;
}
