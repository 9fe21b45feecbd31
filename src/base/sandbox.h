/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sandbox: rights that a process gives up once it is set up. A sandbox is a row
 * of data: capabilities to keep, and groups of system calls. base/role.c has the
 * row of each process.
 */
#pragma once

#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The groups of system calls; sandbox.c lists the calls of each. A group allows
 * its calls, or denies them if its name begins with NO.
 */
enum sandbox_calls {
	CALLS_NONE,     /* ends the list of a row */
	CALLS_END,      /* end, and return from a signal */
	CALLS_SELF,     /* memory, identity, threads' locks */
	CALLS_CLOCK,    /* read the time, sleep */
	CALLS_SIGNALS,  /* own handlers and mask */
	CALLS_POLL,     /* wait for descriptors */
	CALLS_MESSAGES, /* messages over a socket that is open */
	CALLS_READ,     /* read a file that is open */
	CALLS_WRITE,    /* write to a file that is open */
	CALLS_MARK,     /* extended attributes of a file that is open */
	CALLS_PUT,      /* write(2) and close(2) only */
	CALLS_SAY,      /* write to descriptor 1 only */
	CALLS_LOOK,     /* examine files by their names */
	CALLS_OPEN,     /* open a file, but make or cut none */
	CALLS_BELOW,    /* all of that below directories that are open */
	CALLS_DEVICE,   /* ask a device for its size, identity and layout */
	CALLS_HEALTH,   /* pass a command to a disk */
	CALLS_TERMINAL, /* settings of a terminal */
	CALLS_FORK,     /* start a process with less rights */
	CALLS_BPF,      /* load programs into the kernel */
	/* Groups of a row that denies: it may do everything else. */
	CALLS_NO_KERNEL,  /* modules, other processes, namespaces, clocks */
	CALLS_NO_RINGS,   /* io_uring, whose requests pass by no filter */
	CALLS_NO_NETWORK, /* sockets that leave the machine */
	CALLS_NO_PROGRAM, /* programs, and sockets of any kind */
	CALLS_NO_TYPING,  /* bytes put into the input of a terminal */
	CALLS_GROUPS
};

/* One capability of linux/capability.h as a bit. */
#define SANDBOX_CAP(name) (UINT64_C(1) << CAP_##name)

#define SANDBOX_GROUPS 12

/* Which of the capabilities that a row keeps are in effect. */
enum sandbox_effect {
	SANDBOX_AS_IS,   /* those that were; it must not take root's back */
	SANDBOX_RAISED,  /* all that the process may have */
	SANDBOX_DORMANT, /* none; processes that it starts have a use for them */
};

struct sandbox {
	uint64_t capabilities; /* kept, as far as the process has them */
	enum sandbox_effect effect;
	bool program; /* it executes programs that have all its rights */
	enum sandbox_calls calls[SANDBOX_GROUPS];
};

/*
 * Give up everything but the rights of the row; there is no way back, except
 * sandbox_lift() of a row with .program. A system call that the row does not
 * allow fails with EPERM. Safe after fork(): allocates nothing.
 */
void sandbox_enter(const struct sandbox *s);

/*
 * Only deny the calls of a group that begins with NO, in this process and those
 * that it starts; it needs CAP_SYS_ADMIN, or it sets no_new_privs.
 */
void sandbox_deny(enum sandbox_calls group);

/* In a process of a row with .program: take all its rights into effect. */
void sandbox_lift(void);
