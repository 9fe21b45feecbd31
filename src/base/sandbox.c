/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sandbox: no_new_privs, capabilities, seccomp filters.
 *
 * How it works: a group is a list of struct call, one row for each system call.
 * sandbox_enter() translates the groups of a row to BPF, one after the other: the
 * first call that matches decides. A library would be one more dependency of the
 * process that runs as root. A kernel without seccomp, and an architecture that
 * is not named below, run without a filter: the other restrictions hold there
 * too.
 */
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/blkzoned.h>
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

/* The capabilities of this process; none where the kernel does not tell. */
static void sandbox_get(struct __user_cap_data_struct data[2])
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};

	if (syscall(__NR_capget, &head, data) < 0) {
		/* Nothing is kept then. */
	}
}

static void sandbox_set(struct __user_cap_data_struct data[2])
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};

	if (syscall(__NR_capset, &head, data) < 0) {
		/* Fewer are always allowed; nothing to do if not. */
	}
}

static void sandbox_keep(const struct sandbox *s)
{
	struct __user_cap_data_struct data[2] = { 0 };

	sandbox_get(data);
	for (int i = 0; i < 2; i++) {
		const uint32_t keep = (uint32_t)(s->capabilities >> 32 * i);
		const uint32_t before = data[i].effective;

		data[i].permitted &= s->effect == SANDBOX_RAISED ? keep
				     : s->program		 ? before
								 : before & keep;
		data[i].effective = s->effect == SANDBOX_DORMANT  ? 0
				    : s->effect == SANDBOX_RAISED ? data[i].permitted
								  : before & keep;
		if (!s->program)
			data[i].inheritable = 0;
	}
	sandbox_set(data);
}

void sandbox_lift(void)
{
	struct __user_cap_data_struct data[2] = { 0 };

	sandbox_get(data);
	data[0].effective = data[0].permitted;
	data[1].effective = data[1].permitted;
	sandbox_set(data);
}

#ifdef THIS_ARCH

/* What a filter does with a system call. */
enum call_rule {
	CALL_ALLOW,
	CALL_ALLOW_AT,	/* when argument 0 is not the current directory */
	CALL_ALLOW_ON,	/* when the argument has the value */
	CALL_ALLOW_OFF, /* when the argument has none of the bits, else deny */
	CALL_DENY,
	CALL_DENY_ON,	/* when the argument has the value */
	CALL_DENY_OTHER, /* when the argument has another value */
	CALL_ABSENT,	/* as on a kernel without it: the caller has another way */
};

struct call {
	int number;
	enum call_rule rule;
	unsigned arg; /* all of these are ints */
	uint32_t value;
};

#define ALLOW(name)	   { __NR_##name, CALL_ALLOW, 0, 0 }
#define ALLOW_AT(name)	   { __NR_##name, CALL_ALLOW_AT, 0, 0 }
#define ALLOW_REQUEST(req) { __NR_ioctl, CALL_ALLOW_ON, 1, (uint32_t)(req) }
#define ALLOW_WITHOUT(name, n, bits) \
	{ __NR_##name, CALL_ALLOW_OFF, n, (uint32_t)(bits) }
#define DENY(name) { __NR_##name, CALL_DENY, 0, 0 }

static const struct call calls_end[] = { ALLOW(exit), ALLOW(exit_group),
					 ALLOW(rt_sigreturn),
					 ALLOW(restart_syscall) };

static const struct call calls_self[] = {
	ALLOW(brk),	 ALLOW(mmap),	 ALLOW(munmap),	 ALLOW(mremap),
	ALLOW(madvise),	 ALLOW(mprotect), ALLOW(getrandom), ALLOW(futex),
	ALLOW(getpid),	 ALLOW(gettid),	 ALLOW(getppid), ALLOW(getuid),
	ALLOW(geteuid),	 ALLOW(getgid),	 ALLOW(getegid), ALLOW(tgkill),
};

static const struct call calls_clock[] = { ALLOW(clock_gettime),
					   ALLOW(clock_nanosleep),
					   ALLOW(nanosleep) };

static const struct call calls_signals[] = { ALLOW(rt_sigprocmask),
					     ALLOW(rt_sigaction) };

static const struct call calls_poll[] = {
#ifdef __NR_poll
	ALLOW(poll),
#endif
	ALLOW(ppoll),
};

static const struct call calls_messages[] = { ALLOW(recvmsg), ALLOW(sendmsg),
					      ALLOW(recvfrom), ALLOW(sendto) };

static const struct call calls_read[] = {
	ALLOW(read),  ALLOW(readv),   ALLOW(pread64), ALLOW(lseek),
	ALLOW(fstat), ALLOW(fstatfs), ALLOW(close),   ALLOW(fcntl),
	ALLOW(flock), ALLOW(fadvise64),
};

static const struct call calls_write[] = {
	ALLOW(write),	  ALLOW(pwrite64),  ALLOW(ftruncate), ALLOW(fsync),
	ALLOW(fdatasync), ALLOW(writev),
};

/* fstat() of newer C libraries has an empty name. */
static const struct call calls_mark[] = {
#ifdef __NR_newfstatat
	ALLOW_AT(newfstatat),
#endif
	ALLOW_AT(statx),
	ALLOW(fsetxattr),
	ALLOW(fgetxattr),
};

static const struct call calls_say[] = { { __NR_write, CALL_ALLOW_ON, 0,
					   STDOUT_FILENO } };

static const struct call calls_put[] = { ALLOW(write), ALLOW(close) };

static const struct call calls_look[] = {
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
	ALLOW(faccessat),
#ifdef __NR_faccessat2
	ALLOW(faccessat2),
#endif
	ALLOW(readlinkat),
	ALLOW(getdents64),
	ALLOW(getcwd),
};

/* O_TMPFILE includes O_DIRECTORY, which is allowed by itself. */
#define MAKES (O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))

static const struct call calls_open[] = {
#ifdef __NR_open
	ALLOW_WITHOUT(open, 1, MAKES),
#endif
	ALLOW_WITHOUT(openat, 2, MAKES),
};

static const struct call calls_below[] = {
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
	ALLOW(getdents64),
/* fstat() of newer C libraries. */
#ifdef __NR_newfstatat
	ALLOW_AT(newfstatat),
#endif
	ALLOW_AT(statx),
};

/*
 * The size and identity of a device, the file behind a loop device, the table of
 * a mapped one; libblkid asks for blocks and zones, for the sessions of a CD, the
 * format of a floppy disk and locks of OPAL drives. None changes anything.
 */
static const struct call calls_device[] = {
	ALLOW_REQUEST(BLKGETSIZE64),	  ALLOW_REQUEST(BLKGETSIZE),
	ALLOW_REQUEST(BLKSSZGET),	  ALLOW_REQUEST(BLKPBSZGET),
	ALLOW_REQUEST(BLKGETDISKSEQ),	  ALLOW_REQUEST(BLKGETZONESZ),
	ALLOW_REQUEST(BLKREPORTZONE),	  ALLOW_REQUEST(LOOP_GET_STATUS64),
	ALLOW_REQUEST(DM_TABLE_STATUS),	  ALLOW_REQUEST(CDROM_GET_CAPABILITY),
	ALLOW_REQUEST(CDROM_DRIVE_STATUS), ALLOW_REQUEST(CDROM_LAST_WRITTEN),
	ALLOW_REQUEST(CDROMMULTISESSION), ALLOW_REQUEST(FDGETPRM),
	ALLOW_REQUEST(FDGETFDCSTAT),	  ALLOW_REQUEST(IOC_OPAL_GET_STATUS),
	ALLOW(uname),			  ALLOW(sysinfo),
};

static const struct call calls_health[] = {
	ALLOW_REQUEST(NVME_IOCTL_ADMIN_CMD),
	ALLOW_REQUEST(SG_IO),
};

static const struct call calls_terminal[] = { ALLOW_REQUEST(TCGETS),
					      ALLOW_REQUEST(TCSETS),
					      ALLOW_REQUEST(TCFLSH) };

static const struct call calls_fork[] = {
	ALLOW(socketpair),
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
	ALLOW(uname),
	ALLOW(dup3),
#ifdef __NR_dup2
	ALLOW(dup2),
#endif
	ALLOW(set_robust_list),
#ifdef __NR_rseq
	ALLOW(rseq),
#endif
};

/*
 * What bpf_object__load() of libbpf 0.8 to 1.5 calls: it reads the kernel's types
 * (faccessat to fstat), has memory for them, puts the descriptor of a map in the place
 * of another one, loads and attaches; the loader sends the descriptors and ends. Each C
 * library has one of the alternatives. What it misses here falls back: mremap() to a
 * copy.
 */
static const struct call calls_bpf[] = {
#ifdef __NR_access
	ALLOW(access),
#endif
	ALLOW(faccessat),
#ifdef __NR_faccessat2
	ALLOW(faccessat2),
#endif
#ifdef __NR_open
	ALLOW_WITHOUT(open, 1, MAKES),
#endif
	ALLOW_WITHOUT(openat, 2, MAKES),
#ifdef __NR_newfstatat
	ALLOW(newfstatat),
#endif
	ALLOW(fstat),
	ALLOW(read),
	ALLOW(lseek),
	ALLOW(close),
	ALLOW(mmap),
	ALLOW(munmap),
	ALLOW(brk),
	ALLOW(uname),
	ALLOW(dup3),
	ALLOW(bpf),
	ALLOW(sendmsg),
	ALLOW(exit_group),
};

#define NAMESPACES                                                      \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
	 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

static const struct call calls_no_kernel[] = {
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
	/* clone3() has its flags in memory: the C library then uses clone(). */
	ALLOW_WITHOUT(clone, 0, NAMESPACES),
#ifdef __NR_clone3
	{ __NR_clone3, CALL_ABSENT, 0, 0 },
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
	{ __NR_ioctl, CALL_DENY_ON, 1, TIOCSTI },
};

/* TIOCLINUX can paste what a console shows. */
static const struct call calls_no_typing[] = {
	{ __NR_ioctl, CALL_DENY_ON, 1, TIOCSTI },
	{ __NR_ioctl, CALL_DENY_ON, 1, TIOCLINUX },
};

static const struct call calls_no_rings[] = {
#ifdef __NR_io_uring_setup
	DENY(io_uring_setup),
	DENY(io_uring_enter),
	DENY(io_uring_register),
#endif
};

/* Sockets of this machine only: names of users. */
static const struct call calls_no_network[] = { { __NR_socket, CALL_DENY_OTHER,
						  0, AF_UNIX } };

static const struct call calls_no_program[] = { DENY(execve), DENY(execveat),
						DENY(mount), DENY(umount2),
						DENY(socket) };

#ifdef COVERAGE
/*
 * The counts are written at the end of each process, to a file of each source, which
 * is opened with these flags and no others.
 */
static const struct call calls_coverage[] = {
	{ __NR_openat, CALL_ALLOW_ON, 2, O_RDWR | O_CREAT },
	ALLOW(fcntl),
	ALLOW(newfstatat),
	ALLOW(fstat),
	ALLOW(read),
	ALLOW(write),
	ALLOW(lseek),
	ALLOW(close),
	ALLOW(mmap),
	ALLOW(brk),
	ALLOW(munmap),
	ALLOW(getpid),
};

void __gcov_dump(void);
void never_returns __real__exit(int status);
void never_returns __wrap__exit(int status);

/* The linker puts this in place of _exit(), which writes no counts. */
__attribute__((no_profile_instrument_function)) void __wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}
#endif

static const struct {
	const struct call *at;
	size_t n;
} groups[CALLS_GROUPS] = {
#define GROUP(list) { list, ARRAY_SIZE(list) }
	[CALLS_END] = GROUP(calls_end),
	[CALLS_SELF] = GROUP(calls_self),
	[CALLS_CLOCK] = GROUP(calls_clock),
	[CALLS_SIGNALS] = GROUP(calls_signals),
	[CALLS_POLL] = GROUP(calls_poll),
	[CALLS_MESSAGES] = GROUP(calls_messages),
	[CALLS_READ] = GROUP(calls_read),
	[CALLS_WRITE] = GROUP(calls_write),
	[CALLS_MARK] = GROUP(calls_mark),
	[CALLS_PUT] = GROUP(calls_put),
	[CALLS_SAY] = GROUP(calls_say),
	[CALLS_LOOK] = GROUP(calls_look),
	[CALLS_OPEN] = GROUP(calls_open),
	[CALLS_BELOW] = GROUP(calls_below),
	[CALLS_DEVICE] = GROUP(calls_device),
	[CALLS_HEALTH] = GROUP(calls_health),
	[CALLS_TERMINAL] = GROUP(calls_terminal),
	[CALLS_FORK] = GROUP(calls_fork),
	[CALLS_BPF] = GROUP(calls_bpf),
	[CALLS_NO_KERNEL] = GROUP(calls_no_kernel),
	[CALLS_NO_RINGS] = GROUP(calls_no_rings),
	[CALLS_NO_NETWORK] = GROUP(calls_no_network),
	[CALLS_NO_PROGRAM] = GROUP(calls_no_program),
	[CALLS_NO_TYPING] = GROUP(calls_no_typing),
};

/* Room for the longest filter; a call takes at most 6 instructions. */
#define CODE_MAX 768
#define CALL_MAX 6

struct filter_code {
	struct sock_filter code[CODE_MAX];
	size_t n;
};

#define PERMIT SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

static void filter_add(struct filter_code *f, unsigned op, uint32_t k,
		       unsigned yes, unsigned no)
{
	f->code[f->n++] = (struct sock_filter){ (uint16_t)op, (uint8_t)yes,
						(uint8_t)no, k };
}

static void filter_load(struct filter_code *f, size_t offset)
{
	filter_add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void filter_return(struct filter_code *f, uint32_t what)
{
	filter_add(f, BPF_RET | BPF_K, what, 0, 0);
}

/* The offset of the low half of an argument. */
static size_t filter_arg(unsigned n)
{
	return offsetof(struct seccomp_data, args) + n * sizeof(uint64_t) +
	       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4);
}

/*
 * The rules that depend on an argument: how to compare it, what to return when it
 * is so, and when it is not; 0 asks the next calls.
 */
static const struct {
	unsigned jump;
	uint32_t so, else_so;
} conditions[] = {
	[CALL_ALLOW_AT] = { BPF_JEQ, REFUSE, PERMIT },
	[CALL_ALLOW_ON] = { BPF_JEQ, PERMIT, 0 },
	[CALL_ALLOW_OFF] = { BPF_JSET, REFUSE, PERMIT },
	[CALL_DENY_ON] = { BPF_JEQ, REFUSE, 0 },
	[CALL_DENY_OTHER] = { BPF_JEQ, PERMIT, REFUSE },
};

/* The number of the system call is loaded, before and after. */
static void filter_call(struct filter_code *f, const struct call *c)
{
	const uint32_t value = c->rule == CALL_ALLOW_AT ? (uint32_t)AT_FDCWD
							: c->value;

	if (c->rule == CALL_ALLOW || c->rule == CALL_DENY ||
	    c->rule == CALL_ABSENT) {
		filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)c->number, 0,
			   1);
		filter_return(f, c->rule == CALL_ALLOW ? PERMIT
				 : c->rule == CALL_DENY
					 ? REFUSE
					 : SECCOMP_RET_ERRNO | ENOSYS);
		return;
	}
	filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)c->number, 0, 4);
	filter_load(f, filter_arg(c->arg));
	filter_add(f, BPF_JMP | conditions[c->rule].jump | BPF_K, value, 0, 1);
	filter_return(f, conditions[c->rule].so);
	if (conditions[c->rule].else_so)
		filter_return(f, conditions[c->rule].else_so);
	else
		filter_load(f, offsetof(struct seccomp_data, nr));
}

/* A system call of another architecture kills the process. */
static void sandbox_filter_begin(struct filter_code *f)
{
	filter_load(f, offsetof(struct seccomp_data, arch));
	filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0);
	filter_return(f, SECCOMP_RET_KILL_PROCESS);
	filter_load(f, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	/* Refuse x32: it has other numbers for the same calls. */
	filter_add(f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
	filter_return(f, REFUSE);
#endif
}

static void sandbox_filter(const struct sandbox *s)
{
	struct filter_code f = { .n = 0 };
	struct sock_fprog program = { .filter = f.code };

	if (!s->calls[0])
		return;
	sandbox_filter_begin(&f);
#ifdef COVERAGE
	for (size_t i = 0; i < ARRAY_SIZE(calls_coverage); i++)
		filter_call(&f, &calls_coverage[i]);
#endif
	for (size_t g = 0; g < SANDBOX_GROUPS && s->calls[g]; g++)
		for (size_t i = 0; i < groups[s->calls[g]].n; i++) {
			if (f.n + CALL_MAX + 1 > CODE_MAX)
				_exit(1);
			filter_call(&f, &groups[s->calls[g]].at[i]);
		}
	filter_return(&f, s->calls[0] >= CALLS_NO_KERNEL ? PERMIT : REFUSE);
	program.len = (unsigned short)f.n;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0 &&
	    errno == EACCES &&
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0) {
		/* A kernel without seccomp. */
	}
}

#else

static void sandbox_filter(const struct sandbox *s)
{
}

#endif

void sandbox_enter(const struct sandbox *s)
{
	sandbox_keep(s);
	if (!s->program)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	sandbox_filter(s);
}

void sandbox_deny(enum sandbox_calls group)
{
	const struct sandbox s = { .calls = { group } };

	sandbox_filter(&s);
}
