/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Privilege: from root by sudo to the user who called.
 */
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
#include "base/text.h"
#include "base/units.h"
#include "workload/target/target.h"

static bool number_of_env(const char *name, uint64_t *out)
{
	const char *text = getenv(name);

	return text && units_parse_count(text, 1, UINT32_MAX - 1, out);
}

static bool caller(uid_t *uid, gid_t *gid)
{
	uint64_t u, g;

	if (geteuid() != 0 || !number_of_env("SUDO_UID", &u) ||
	    !number_of_env("SUDO_GID", &g))
		return false;
	*uid = (uid_t)u;
	*gid = (gid_t)g;
	return true;
}

bool privilege_by_sudo(void)
{
	uid_t uid;
	gid_t gid;

	return caller(&uid, &gid);
}

void privilege_lower(void)
{
	uid_t uid;
	gid_t gid;

	if (!caller(&uid, &gid) || setegid(gid) < 0)
		return;
	if (seteuid(uid) < 0 && setegid(0) < 0)
		return;
}

void privilege_raise(void)
{
	if (getuid() == 0 && geteuid() != 0 && seteuid(0) == 0 &&
	    setegid(0) < 0)
		return;
}

/* As the effective user: what is there can be written, or can be made. */
static bool reachable(const char *path, bool writes)
{
	char dir[4096], *slash;
	struct stat st;

	if (stat(path, &st) == 0)
		return !S_ISBLK(st.st_mode) &&
		       faccessat(AT_FDCWD, path, writes ? R_OK | W_OK : R_OK,
				 AT_EACCESS) == 0;
	if (!text_copy(dir, sizeof(dir), path))
		return false;
	slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = '\0';
	return faccessat(AT_FDCWD, slash ? dir : ".", W_OK | X_OK,
			 AT_EACCESS) == 0;
}

/* All files of a clone. */
static bool clone_reachable(const struct job *job, unsigned jobnum)
{
	size_t n;
	char **path = target_paths(job, jobnum, &n);
	bool all = true;

	for (size_t i = 0; i < n; i++) {
		all = all && reachable(path[i], job_writes(job));
		free(path[i]);
	}
	free(path);
	return all;
}

/* More clones than this are in the directories of those before. */
#define CLONES 64

static bool job_reachable(const struct job *job)
{
	unsigned n = job->numjobs < CLONES ? job->numjobs : CLONES;
	bool all = true;

	for (unsigned i = 0; i < n && all; i++)
		all = clone_reachable(job, i);
	return all;
}

bool privilege_needed(const struct job *jobs, size_t n_jobs)
{
	bool needed = false;

	privilege_lower();
	for (size_t i = 0; i < n_jobs && !needed; i++)
		needed = !job_reachable(&jobs[i]);
	privilege_raise();
	return needed;
}

/* Keep CAP_SYS_PTRACE alone: /proc/PID/io of others asks for it. */
static void keep_ptrace(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2] = { 0 };

	data[0].effective = data[0].permitted = 1u << CAP_SYS_PTRACE;
	/* Without it other users' I/O is absent: no reason to fail. */
	if (syscall(SYS_capset, &head, data) < 0)
		return;
}

int privilege_drop(void)
{
	struct passwd *pw;
	uid_t uid;
	gid_t gid;

	if (!caller(&uid, &gid))
		return 0;
	pw = getpwuid(uid);
	prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	if ((pw ? initgroups(pw->pw_name, gid) : setgroups(0, NULL)) < 0 ||
	    setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
		return fail(errno,
			    "cannot become user %u, who called sudo: %s; call "
			    "as root without sudo instead",
			    (unsigned)uid, strerror(errno));
	keep_ptrace();
	return 0;
}
