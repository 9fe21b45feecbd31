/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sandbox: no_new_privs, capabilities, seccomp filters.
 *
 * The filters are short lists of system calls, so they are written as BPF here;
 * a library would be one more dependency of the process that runs as root. A
 * kernel without seccomp, and an architecture that is not named below, run
 * without a filter: the other restrictions hold there too.
 */
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/blkzoned.h>
#include <linux/capability.h>
#include <linux/cdrom.h>
#include <linux/dm-ioctl.h>
#include <linux/fd.h>
#include <linux/filter.h>
#include <linux/loop.h>
#include <linux/nvme_ioctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <scsi/sg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/kernel.h"

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define THIS_ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define THIS_ARCH AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define THIS_ARCH AUDIT_ARCH_S390X
#endif

/* The sanitizers' runtimes make system calls of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef THIS_ARCH
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef THIS_ARCH
#endif
#endif

/*
 * Drop permitted capabilities that are not in effect: the keeper of an ordinary
 * user must not take root's back.
 */
static void permit_effective(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(__NR_capget, &head, data) < 0)
		return;
	data[0].permitted = data[0].effective;
	data[1].permitted = data[1].effective;
	if (syscall(__NR_capset, &head, data) < 0) {
		/* Fewer are always allowed; nothing to do if not. */
	}
}

/* Keep these capabilities permitted; in effect only when asked for. */
static void set_capabilities(uint32_t permitted, bool in_effect)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2] = { 0 };

	/* Only what this process has can be kept. */
	if (syscall(__NR_capget, &head, data) < 0)
		return;
	data[0].permitted &= permitted;
	data[0].effective = in_effect ? data[0].permitted : 0;
	data[0].inheritable = data[1].inheritable = 0;
	data[1].permitted = data[1].effective = 0;
	if (syscall(__NR_capset, &head, data) < 0) {
		/* Fewer are always allowed; nothing to do if not. */
	}
}

#ifdef THIS_ARCH

#define LOAD(member)                       \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
		 offsetof(struct seccomp_data, member))
/* The low half of argument n; every such argument is an int. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOAD_ARG(n) LOAD(args[n])
#else
#define LOAD_ARG(n)                        \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
		 offsetof(struct seccomp_data, args[n]) + 4)
#endif
#define GO_IF(value, yes, no) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE       RETURN(SECCOMP_RET_ERRNO | EPERM)

/*
 * The first instructions of each filter: a system call of another architecture
 * kills the process.
 */
#define BEGIN                                                                 \
	LOAD(arch), GO_IF(THIS_ARCH, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS), \
		LOAD(nr)

#define ALLOW(name) GO_IF(__NR_##name, 0, 1), RETURN(SECCOMP_RET_ALLOW)

/* Allow when the first argument is a directory, not the current one. */
#define ALLOW_AT(name)                                                        \
	GO_IF(__NR_##name, 0, 4), LOAD_ARG(0), GO_IF(AT_FDCWD, 0, 1), REFUSE, \
		RETURN(SECCOMP_RET_ALLOW)

/* Allow with this value of the second argument. */
#define ALLOW_WITH(name, value)                                    \
	GO_IF(__NR_##name, 0, 4), LOAD_ARG(1), GO_IF(value, 0, 1), \
		RETURN(SECCOMP_RET_ALLOW), LOAD(nr)

/* Allow unless argument n has one of these bits. */
#define ALLOW_WITHOUT(name, n, bits)                                      \
	GO_IF(__NR_##name, 0, 4), LOAD_ARG(n),                            \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), 0, \
			 1),                                              \
		REFUSE, RETURN(SECCOMP_RET_ALLOW)

#define DENY(name) GO_IF(__NR_##name, 0, 1), REFUSE

/* Memory, the process's own identity, exit. */
#define OWN_AFFAIRS                                                          \
	ALLOW(brk), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap),               \
	ALLOW(madvise), ALLOW(mprotect), ALLOW(getrandom), ALLOW(futex),     \
	ALLOW(getpid), ALLOW(gettid), ALLOW(getuid), ALLOW(geteuid),         \
	ALLOW(getgid), ALLOW(getegid), ALLOW(exit), ALLOW(exit_group),       \
	ALLOW(tgkill)

/*
 * Requests that read facts of a device: its size and identity, the file behind
 * a loop device, the table of a mapped one; libblkid asks for blocks and zones,
 * for the sessions of a CD, the format of a floppy disk and locks of OPAL
 * drives. None of them changes anything.
 */
#define OPENER_IOCTLS                                                         \
	ALLOW_WITH(ioctl, BLKGETSIZE64), ALLOW_WITH(ioctl, BLKGETSIZE),       \
		ALLOW_WITH(ioctl, BLKSSZGET), ALLOW_WITH(ioctl, BLKPBSZGET),  \
		ALLOW_WITH(ioctl, BLKGETDISKSEQ),                             \
		ALLOW_WITH(ioctl, BLKGETZONESZ),                              \
		ALLOW_WITH(ioctl, BLKREPORTZONE),                             \
		ALLOW_WITH(ioctl, LOOP_GET_STATUS64),                         \
		ALLOW_WITH(ioctl, DM_TABLE_STATUS),                           \
		ALLOW_WITH(ioctl, CDROM_GET_CAPABILITY),                      \
		ALLOW_WITH(ioctl, CDROM_DRIVE_STATUS),                        \
		ALLOW_WITH(ioctl, CDROM_LAST_WRITTEN),                        \
		ALLOW_WITH(ioctl, CDROMMULTISESSION),                         \
		ALLOW_WITH(ioctl, FDGETPRM), ALLOW_WITH(ioctl, FDGETFDCSTAT), \
		ALLOW_WITH(ioctl, IOC_OPAL_GET_STATUS)

static void filter(const struct sock_filter *code, size_t n)
{
	struct sock_fprog program = {
		.len = (unsigned short)n,
		.filter = (struct sock_filter *)code,
	};

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0) {
		/* A kernel without seccomp. */
	}
}

static void filter_keeper(void)
{
	static const struct sock_filter code[] = {
		BEGIN,
	/* Wait; exchange messages with the peer and the writers. */
#ifdef __NR_poll
		ALLOW(poll),
#endif
		ALLOW(ppoll),
		ALLOW(recvfrom),
		ALLOW(recvmsg),
		ALLOW(sendto),
		ALLOW(sendmsg),
		ALLOW(socketpair),
		ALLOW(close),
		ALLOW(clock_gettime),
		ALLOW(clock_nanosleep),
		ALLOW(nanosleep),
		ALLOW(rt_sigreturn),
		ALLOW(rt_sigprocmask),
		ALLOW(rt_sigaction),
		ALLOW(restart_syscall),
		/* Settings and journals, below the directories that it has. */
		ALLOW_AT(openat),
		ALLOW_AT(openat2),
		ALLOW_AT(unlinkat),
		ALLOW_AT(mkdirat),
		ALLOW_AT(faccessat),
#ifdef __NR_faccessat2
		ALLOW_AT(faccessat2),
#endif
#ifdef __NR_renameat
		ALLOW_AT(renameat),
#endif
		ALLOW_AT(renameat2),
		ALLOW_AT(readlinkat),
		ALLOW(read),
		ALLOW(pread64),
		ALLOW(write),
		ALLOW(pwrite64),
		ALLOW(lseek),
		ALLOW(fstat),
		ALLOW(fstatfs),
		ALLOW(flock),
		ALLOW(ftruncate),
		ALLOW(fsync),
		ALLOW(fdatasync),
		ALLOW(getdents64),
		ALLOW(fcntl),
	/* fstat() of newer C libraries. */
#ifdef __NR_newfstatat
		ALLOW_AT(newfstatat),
#endif
		ALLOW_AT(statx),
		/* The terminal's settings. */
		ALLOW_WITH(ioctl, TCGETS),
		ALLOW_WITH(ioctl, TCSETS),
		ALLOW_WITH(ioctl, TCFLSH),
		/* Fork another writer while one is stuck. */
		ALLOW(clone),
#ifdef __NR_fork
		ALLOW(fork),
#endif
#ifdef __NR_close_range
		ALLOW(close_range),
#endif
		ALLOW(wait4),
		ALLOW(kill),
		ALLOW(prctl),
		ALLOW(seccomp),
		ALLOW(capget),
		ALLOW(capset),
		ALLOW(dup3),
#ifdef __NR_dup2
		ALLOW(dup2),
#endif
		ALLOW(set_robust_list),
#ifdef __NR_rseq
		ALLOW(rseq),
#endif
		OWN_AFFAIRS,
		REFUSE,
	};

	filter(code, ARRAY_SIZE(code));
}

static void filter_opener(void)
{
	/* O_TMPFILE includes O_DIRECTORY, which is allowed by itself. */
	const uint32_t makes = O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
	const struct sock_filter code[] = {
		BEGIN,
	/* Receive questions, send answers. */
		ALLOW(recvmsg),
		ALLOW(sendmsg),
	/* System calls to open files and to examine mounts and devices. */
#ifdef __NR_open
		ALLOW_WITHOUT(open, 1, makes),
#endif
		ALLOW_WITHOUT(openat, 2, makes),
		ALLOW(close),
		ALLOW(read),
		ALLOW(readv),
		ALLOW(pread64),
		ALLOW(lseek),
		ALLOW(fstat),
#ifdef __NR_stat
		ALLOW(stat),
		ALLOW(lstat),
		ALLOW(access),
		ALLOW(readlink),
#endif
#ifdef __NR_newfstatat
		ALLOW(newfstatat),
#endif
		ALLOW(statx),
		ALLOW(statfs),
		ALLOW(fstatfs),
		ALLOW(faccessat),
#ifdef __NR_faccessat2
		ALLOW(faccessat2),
#endif
		ALLOW(readlinkat),
		ALLOW(getdents64),
		ALLOW(getcwd),
		ALLOW(fcntl),
		ALLOW(flock),
		ALLOW(fadvise64),
		OPENER_IOCTLS,
#ifdef __NR_poll
		ALLOW(poll),
#endif
		ALLOW(ppoll),
		ALLOW(clock_gettime),
		ALLOW(clock_nanosleep),
		ALLOW(nanosleep),
		ALLOW(rt_sigreturn),
		ALLOW(rt_sigprocmask),
		ALLOW(rt_sigaction),
		ALLOW(restart_syscall),
		ALLOW(uname),
		ALLOW(sysinfo),
		ALLOW(getppid),
		OWN_AFFAIRS,
		REFUSE,
	};

	filter(code, ARRAY_SIZE(code));
}

static void filter_smart_reader(void)
{
	static const struct sock_filter code[] = {
		BEGIN,
		ALLOW(recvmsg),
		ALLOW(sendmsg),
		ALLOW_WITH(ioctl, NVME_IOCTL_ADMIN_CMD),
		ALLOW_WITH(ioctl, SG_IO),
		ALLOW(exit),
		ALLOW(exit_group),
		ALLOW(rt_sigreturn),
		ALLOW(restart_syscall),
		REFUSE,
	};

	filter(code, ARRAY_SIZE(code));
}

/*
 * A list of what is denied, as the programs that the hand executes inherit the
 * filter: mkfs, mount and umount, as the machine has them, may make any call
 * that files and devices need, and none that changes the kernel, looks into
 * other processes, leaves the mount namespace or reaches a network. io_uring is
 * among them, because its requests pass by no filter.
 */
static void filter_sweep_hand(void)
{
	/* clone3() has its flags in memory: the C library then uses clone(). */
	const uint32_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP |
				    CLONE_NEWUTS | CLONE_NEWIPC |
				    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
	const struct sock_filter code[] = {
		BEGIN,
#ifdef __x86_64__
		/* Refuse x32: it has other numbers for the same calls. */
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
		REFUSE,
#endif
		DENY(init_module),
		DENY(finit_module),
		DENY(delete_module),
		DENY(kexec_load),
#ifdef __NR_kexec_file_load
		DENY(kexec_file_load),
#endif
		DENY(reboot),
		DENY(bpf),
		DENY(perf_event_open),
		DENY(userfaultfd),
		DENY(ptrace),
		DENY(process_vm_readv),
		DENY(process_vm_writev),
		DENY(kcmp),
#ifdef __NR_pidfd_getfd
		DENY(pidfd_getfd),
#endif
#ifdef __NR_iopl
		DENY(iopl),
		DENY(ioperm),
#endif
		DENY(pivot_root),
		DENY(chroot),
		DENY(setns),
		DENY(unshare),
		ALLOW_WITHOUT(clone, 0, namespaces),
#ifdef __NR_clone3
		GO_IF(__NR_clone3, 0, 1),
		RETURN(SECCOMP_RET_ERRNO | ENOSYS),
#endif
		DENY(open_by_handle_at),
		DENY(fanotify_init),
		DENY(quotactl),
		DENY(acct),
		DENY(swapon),
		DENY(swapoff),
		DENY(mknodat),
#ifdef __NR_mknod
		DENY(mknod),
#endif
		DENY(add_key),
		DENY(request_key),
		DENY(keyctl),
		DENY(settimeofday),
		DENY(clock_settime),
		DENY(clock_adjtime),
		DENY(adjtimex),
		DENY(sethostname),
		DENY(setdomainname),
		DENY(syslog),
		DENY(vhangup),
#ifdef __NR_io_uring_setup
		DENY(io_uring_setup),
		DENY(io_uring_enter),
		DENY(io_uring_register),
#endif
		/* Sockets of this machine only: names of users. */
		GO_IF(__NR_socket, 0, 4),
		LOAD_ARG(0),
		GO_IF(AF_UNIX, 0, 1),
		RETURN(SECCOMP_RET_ALLOW),
		REFUSE,
		/* Bytes typed into a terminal. */
		GO_IF(__NR_ioctl, 0, 3),
		LOAD_ARG(1),
		GO_IF(TIOCSTI, 0, 1),
		REFUSE,
		RETURN(SECCOMP_RET_ALLOW),
	};

	filter(code, ARRAY_SIZE(code));
}

static void filter_writer(void)
{
	static const struct sock_filter code[] = {
		BEGIN,
		ALLOW(recvmsg),
		ALLOW(sendto),
		ALLOW(write),
		ALLOW(close),
		ALLOW(clock_gettime),
		ALLOW(exit),
		ALLOW(exit_group),
		ALLOW(rt_sigreturn),
		ALLOW(restart_syscall),
		REFUSE,
	};

	filter(code, ARRAY_SIZE(code));
}

#else

static void filter_keeper(void)
{
}

static void filter_opener(void)
{
}

static void filter_smart_reader(void)
{
}

static void filter_sweep_hand(void)
{
}

static void filter_writer(void)
{
}

#endif

void sandbox_keeper(bool all_files)
{
	uint32_t files = all_files ? 1u << CAP_DAC_OVERRIDE : 0;

	permit_effective();
	/* Permitted for the writers that are forked later. */
	set_capabilities(1u << CAP_SYS_ADMIN | files, all_files);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	filter_keeper();
}

void sandbox_opener(void)
{
	set_capabilities(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH |
				 1u << CAP_FOWNER | 1u << CAP_SYS_PTRACE |
				 1u << CAP_SYS_ADMIN,
			 true);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	filter_opener();
}

void sandbox_writer(void)
{
	set_capabilities(1u << CAP_SYS_ADMIN, true);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	filter_writer();
}

void sandbox_smart_reader(void)
{
	set_capabilities(1u << CAP_SYS_ADMIN | 1u << CAP_SYS_RAWIO, true);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	filter_smart_reader();
}

void sandbox_sweep_hand(void)
{
	set_capabilities(1u << CAP_SYS_ADMIN | 1u << CAP_DAC_OVERRIDE |
				 1u << CAP_DAC_READ_SEARCH | 1u << CAP_CHOWN |
				 1u << CAP_FOWNER | 1u << CAP_KILL,
			 true);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	filter_sweep_hand();
}
