/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Privilege: from root by sudo to the calling user. */
#include "cmd/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/root.h"
#include "base/sandbox.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/command.h"
#include "workload/kind/kind.h"
#include "workload/target/guard.h"
#include "workload/target/target.h"

static bool number_of_env(const char *name, uint64_t *out)
{
	const char *text = getenv(name);

	return text && units_parse_count(text, 1, UINT32_MAX - 1, out);
}

/*
 * sudo -i, sudo -s and sudo su leave SUDO_UID in the environment of a root
 * shell. That shell is root's own, and a program in it works as root. sudo
 * names the command that it ran: a shell without arguments, or su.
 */
static bool in_root_shell(void)
{
	static const char *const shells[] = { "sh",  "bash", "dash", "zsh",
					      "ksh", "fish", "csh",  "tcsh",
					      "mksh" };
	const char *command = getenv("SUDO_COMMAND"), *name;
	char word[64];
	size_t n;

	if (!command)
		return false;
	n = strcspn(command, " ");
	name = memrchr(command, '/', n);
	name = name ? name + 1 : command;
	n -= (size_t)(name - command);
	if (n >= sizeof(word))
		return false;
	memcpy(word, name, n);
	word[n] = '\0';
	if (!strcmp(word, "su"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		if (!strcmp(word, shells[i]) && !name[n])
			return true;
	return false;
}

bool privilege_caller(uid_t *uid, gid_t *gid)
{
	uint64_t u, g;

	if (geteuid() != 0 || !number_of_env("SUDO_UID", &u) ||
	    !number_of_env("SUDO_GID", &g) || in_root_shell())
		return false;
	*uid = (uid_t)u;
	*gid = (gid_t)g;
	return true;
}

bool privilege_by_sudo(void)
{
	uid_t uid;
	gid_t gid;

	return privilege_caller(&uid, &gid);
}

/* End the program: its files would be root's, or it could read root's files. */
static void never_returns end_program(uid_t uid)
{
	fail(errno,
	     "cannot work as user %u on files: %s; call iodyno in a root shell "
	     "(sudo -i) instead",
	     (unsigned)uid, strerror(errno));
	exit(command_failed(EXIT_FAILED));
}

/* The groups of the user, as at a login. */
static int take_groups(uid_t uid, gid_t gid)
{
	struct passwd *pw = getpwuid(uid);

	return pw ? initgroups(pw->pw_name, gid) : setgroups(0, NULL);
}

void privilege_lower(void)
{
	uid_t uid;
	gid_t gid;

	if (!privilege_caller(&uid, &gid))
		return;
	/* Root's own groups do not come back: root needs none. */
	if (take_groups(uid, gid) < 0 || setegid(gid) < 0 || seteuid(uid) < 0)
		end_program(uid);
}

void privilege_raise(void)
{
	if (getuid() != 0 || geteuid() == 0)
		return;
	if (seteuid(0) < 0 || setegid(0) < 0)
		end_program(0);
}

/*
 * access() for the effective user; 0, or -1 with errno. Linux before 5.8 has no
 * faccessat2(2), and the C library then checks the rights of the real user for
 * AT_EACCESS. Under sudo the real user is root, so this function sets the real
 * user to the effective one during the check.
 */
static int effective_access(const char *path, int mode)
{
	const uid_t uid = getuid();
	const gid_t gid = getgid();
	int rc, error;

#ifdef __NR_faccessat2
	rc = (int)syscall(__NR_faccessat2, AT_FDCWD, path, mode, AT_EACCESS);
	if (rc == 0 || errno != ENOSYS)
		return rc;
#endif
	if (setresgid(getegid(), (gid_t)-1, (gid_t)-1) < 0 ||
	    setresuid(geteuid(), (uid_t)-1, (uid_t)-1) < 0)
		end_program(geteuid());
	rc = access(path, mode);
	error = errno;
	if (setresuid(uid, (uid_t)-1, (uid_t)-1) < 0 ||
	    setresgid(gid, (gid_t)-1, (gid_t)-1) < 0)
		end_program(uid);
	errno = error;
	return rc;
}

/* Whether the effective user can read the file, or write or make it. */
static bool reachable(const char *path, bool writes)
{
	char dir[4096], *slash;
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISBLK(st.st_mode) ||
		       effective_access(path, writes ? R_OK | W_OK : R_OK) == 0;
	if (!text_set(dir, path))
		return false;
	slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = '\0';
	return effective_access(slash ? dir : ".", W_OK | X_OK) == 0;
}

/*
 * Whether the run may become root for the path: a job file, plan or log must
 * not choose where that is.
 */
static bool is_operators(const struct job *job, const char *path,
			 const struct allow_list *allowed)
{
	char *missing = job_is_foreign(job, NULL)
				? guard_place_missing(allowed, job, path, false)
				: NULL;

	if (!missing)
		return true;
	command_say("job %s: %s is a path of a job file, plan or log, which "
		    "gives it no rights of root; if it is right give "
		    "--allow-path=%s",
		    job->name, path, missing);
	free(missing);
	return false;
}

/*
 * The first file of a clone that the effective user cannot reach, or NULL. The
 * caller frees it.
 */
static char *clone_unreachable(const struct job *job, unsigned jobnum,
			       const struct allow_list *allowed)
{
	size_t n;
	char **path = target_paths(job, jobnum, &n), *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!found && !reachable(path[i], job_writes(job)) &&
		    is_operators(job, path[i], allowed))
			found = path[i];
		else
			free(path[i]);
	}
	free(path);
	return found;
}

/* Clones beyond this number use the directories of earlier ones. */
#define CLONES 64

static char *job_unreachable(const struct job *job,
			     const struct allow_list *allowed)
{
	unsigned n = job->numjobs < CLONES ? job->numjobs : CLONES;
	char *path = NULL;

	/* A command has no target, and runs with the caller's rights. */
	if (kind_runs_program(job))
		return NULL;
	for (unsigned i = 0; i < n && !path; i++)
		path = clone_unreachable(job, i, allowed);
	return path;
}

bool privilege_needed(const struct job *jobs, size_t n_jobs,
		      const struct allow_list *allowed)
{
	char *path = NULL;
	uid_t uid;
	gid_t gid;
	size_t i;

	if (!privilege_caller(&uid, &gid))
		return false;
	privilege_lower();
	for (i = 0; i < n_jobs && !path; i++)
		path = job_unreachable(&jobs[i], allowed);
	privilege_raise();
	if (!path)
		return false;
	command_say("job %s needs %s, which user %u, the caller of sudo, "
		    "cannot %s: all of this run works as root",
		    jobs[i - 1].name, path, (unsigned)uid,
		    job_writes(&jobs[i - 1]) ? "make or write" : "read");
	free(path);
	return true;
}

int privilege_check_commands(const struct job *jobs, size_t n_jobs)
{
	for (size_t i = 0; i < n_jobs; i++)
		if (kind_runs_program(&jobs[i]))
			return fail(EPERM,
				    "job %s runs a command, which would run as "
				    "root, because this run keeps the rights "
				    "that sudo gave; start it in a root shell, "
				    "or without sudo",
				    jobs[i].name);
	return 0;
}

static int privilege_unreadable(const struct job *job, const char *what,
				const char *path)
{
	return job_fail(job, errno,
			"cannot read the %s %s as the calling user of sudo: %s",
			what, path, strerror(errno));
}

/* The files that a pattern names, 'FILE': as the effective user. */
static int check_pattern(const struct job *job, const char *pattern)
{
	const char *begin = pattern ? strchr(pattern, '\'') : NULL, *end;
	char path[4096];

	for (; begin; begin = strchr(end + 1, '\'')) {
		end = strchr(begin + 1, '\'');
		if (!end)
			break;
		snprintf(path, sizeof(path), "%.*s", (int)(end - begin - 1),
			 begin + 1);
		if (effective_access(path, R_OK))
			return privilege_unreadable(job, "pattern's file",
						    path);
	}
	return 0;
}

/* Error messages about a loadfile quote words of the file. */
static int check_loadfile(const struct job *job)
{
	const char *path = job->dbench.loadfile;

	/* A missing loadfile is refused later, by its reader. */
	if (path && effective_access(path, R_OK) && errno != ENOENT)
		return privilege_unreadable(job, "loadfile", path);
	return 0;
}

int privilege_check_files(const struct job *jobs, size_t n_jobs)
{
	int err = 0;

	privilege_lower();
	for (size_t i = 0; i < n_jobs && !err; i++) {
		err = check_pattern(&jobs[i], jobs[i].buffer_pattern);
		if (!err)
			err = check_pattern(&jobs[i], jobs[i].verify_pattern);
		if (!err)
			err = check_loadfile(&jobs[i]);
	}
	privilege_raise();
	return err;
}

/* Have these capabilities and no more; a container may have fewer. */
static int set_capabilities(uint32_t set)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &head, data) < 0)
		return -errno;
	set &= data[0].permitted;
	memset(data, 0, sizeof(data));
	data[0].effective = data[0].permitted = set;
	return syscall(SYS_capset, &head, data) < 0 ? -errno : 0;
}

static int drop(uint32_t more)
{
	uid_t uid;
	gid_t gid;
	int error = 0;

	if (!privilege_caller(&uid, &gid))
		return 0;
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 ||
	    take_groups(uid, gid) < 0 || setresgid(gid, gid, gid) < 0 ||
	    setresuid(uid, uid, uid) < 0)
		error = -errno;
	if (!error)
		/* Keep no CAP_SYS_PTRACE, though wchan needs it: with it, code
		 * that took over this process could attach to one of root's. */
		error = set_capabilities(more);
	if (error)
		return fail(
			-error,
			"cannot become user %u, the caller of sudo: %s; call "
			"iodyno in a root shell (sudo -i) instead",
			(unsigned)uid, strerror(-error));
	return 0;
}

int privilege_drop(void)
{
	return drop(0);
}

/* A negative nice value, the realtime class of I/O. */
static bool wants_priority(const struct job *job)
{
	bool asks = job->nice < 0 || job->ioprio_class == 1 ||
		    job->cmdprio_split;

	for (size_t i = 0; i < JOB_DIRS; i++)
		asks |= job->cmdprio_pct[i] && job->cmdprio_class[i] <= 1;
	return asks;
}

/*
 * The screen and the opener have one terminal: from now on this process types
 * nothing into it, and sudo, which may know the user for some minutes, does not
 * make it root again. Linux 6.2 can forbid the former; then no filter is in the
 * way of each system call of the load.
 */
static void privilege_leave_terminal(const struct allow_list *allowed)
{
	struct root live;
	char typing[8] = "";

	if (root_open(&live, NULL) == 0) {
		if (root_read_line(&live, "proc/sys/dev/tty/legacy_tiocsti",
				   typing, sizeof(typing)) < 0)
			*typing = '\0';
		root_close(&live);
	}
	if (strcmp(typing, "0") != 0)
		sandbox_deny(CALLS_NO_TYPING);
	/* A command may need the rights of its file. */
	if (!allowed->exec)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int privilege_drop_for(struct opener **opener, const struct job *jobs,
		       size_t n_jobs, const struct allow_list *allowed,
		       bool asks)
{
	uint32_t more = 0;
	int err;

	*opener = NULL;
	if (!privilege_by_sudo())
		return 0;
	for (size_t i = 0; i < n_jobs; i++)
		if (wants_priority(&jobs[i]))
			more = 1u << CAP_SYS_NICE;
	err = opener_start(opener, allowed, asks);
	if (err)
		return err;
	if (asks)
		privilege_leave_terminal(allowed);
	return drop(more);
}
