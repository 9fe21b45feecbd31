/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sandbox: rights that the keeper, its writers, the opener and other small
 * processes give up once they are set up.
 */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

#include <stdbool.h>

/*
 * The keeper: no new privileges, no capability in effect, and only the system
 * calls of its loop. It cannot execute a program, cannot open a path that does
 * not begin at one of its directory descriptors, cannot make a connection.
 * Any other system call fails with EPERM. all_files: keep the right to write
 * files of other users (a captured tree).
 */
void sandbox_keeper(bool all_files);

/*
 * A writer: the same, and it cannot open anything. Of the capabilities it keeps
 * CAP_SYS_ADMIN, which kernel.task_delayacct asks for at the write itself.
 */
void sandbox_writer(void);

/*
 * The opener (workload/target/guard.h): it keeps CAP_DAC_OVERRIDE,
 * CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_SYS_PTRACE and CAP_SYS_ADMIN as far as
 * it has them, and only the system calls that examine files and devices and
 * open them. It cannot make, cut, rename or remove a file, cannot write to
 * one, start a process, connect to anything, or change a mount. Of ioctl(2) it
 * has the requests that ask a device for its size, identity and layout, none
 * that changes it. Any other system call or request fails with EPERM.
 */
void sandbox_opener(void);

/*
 * The process that reads the health counters of disks (collect/smart.h): it
 * keeps CAP_SYS_ADMIN and CAP_SYS_RAWIO, which NVMe and ATA ask for, and opens
 * nothing. It has its socket, the descriptors that it holds, and of ioctl(2)
 * the two requests that pass a command to a disk.
 */
void sandbox_smart_reader(void);

/*
 * The process that makes and mounts file systems for a sweep
 * (cmd/sweep/sweep_stage.h): no new privileges, and of the capabilities, also for
 * the programs that it executes, those to mount, to reach and own files and to
 * end its programs. Its filter denies it and its programs what neither needs:
 * modules, bpf, ptrace, namespaces, device nodes, the clock, io_uring, all
 * sockets but those of this machine.
 */
void sandbox_sweep_hand(void);

#endif
