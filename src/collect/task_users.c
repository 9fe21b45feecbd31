/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Users: their names, from etc/passwd (passwd(5)).
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"
#include "collect/task.h"

/* More than a server has that keeps its users in a file. */
#define PASSWD_BYTES (1 << 20)
#define AGAIN_NS     (60 * NS_PER_S)

static int by_uid(const void *pa, const void *pb)
{
	const struct task_user *a = pa, *b = pb;

	return a->uid < b->uid ? -1 : a->uid > b->uid;
}

/* "name:password:uid:...". */
static void add_line(struct task_users *u, char *line)
{
	char *password = strchr(line, ':'), *uid, *end;
	struct task_user *user;
	unsigned long number;

	uid = password ? strchr(password + 1, ':') : NULL;
	if (!uid || password == line)
		return;
	number = strtoul(uid + 1, &end, 10);
	if (end == uid + 1 || *end != ':')
		return;
	*password = '\0';
	u->user = xgrow(u->user, &u->cap, u->n + 1, sizeof(*u->user));
	user = &u->user[u->n++];
	memset(user, 0, sizeof(*user));
	user->uid = (unsigned)number;
	text_copy(user->name, sizeof(user->name), line);
	text_clean(user->name);
}

static void read_all(struct task_users *u, const struct root *root)
{
	char *text = xmalloc(PASSWD_BYTES), *line, *save = NULL;

	u->n = 0;
	if (root_read(root, "etc/passwd", text, PASSWD_BYTES) > 0)
		for (line = strtok_r(text, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			add_line(u, line);
	free(text);
	if (u->n > 1)
		qsort(u->user, u->n, sizeof(*u->user), by_uid);
}

const char *task_user_name(struct task_users *u, const struct root *root,
			   unsigned uid, uint64_t now_ns)
{
	struct task_user key = { .uid = uid }, *hit = NULL;

	if (u->n)
		hit = bsearch(&key, u->user, u->n, sizeof(key), by_uid);
	if (hit)
		return hit->name;
	if (u->read_ns && now_ns - u->read_ns < AGAIN_NS)
		return "";
	u->read_ns = now_ns;
	read_all(u, root);
	if (u->n)
		hit = bsearch(&key, u->user, u->n, sizeof(key), by_uid);
	return hit ? hit->name : "";
}

void task_users_free(struct task_users *u)
{
	free(u->user);
	memset(u, 0, sizeof(*u));
}
