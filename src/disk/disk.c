/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disk: make the process, the loop device, and its queue; take them away. */
#include "disk/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/fail.h"
#include "base/role.h"
#include "base/text.h"
#include "block/sysfs.h"
#include "disk/disk_serve.h"

#define RUN   SIMULATED_RUN
#define START SIMULATED_START
#define LEAST_TAGS 4  /* of a loop device */
#define RECOVER_MS 1000

/* --- options --- */

static int disk_parse(struct disk *d, const struct disk_options *o)
{
	int err = disk_model_parse(o->model, &d->model);

	disk_faults_init(&d->faults, o->seed);
	for (size_t i = 0; !err && i < o->n_faults; i++)
		err = disk_faults_parse(&d->faults, o->faults[i]);
	if (!err && (o->bytes < DISK_BYTES_LEAST || o->bytes > DISK_BYTES_MOST ||
		     o->bytes % 4096))
		err = fail(EINVAL, "the size of a disk is a multiple of 4096 "
				   "from 1m to 4t");
	return err;
}

int disk_check(const struct disk_options *o)
{
	struct disk *d = xcalloc(1, sizeof(*d));
	int err = disk_parse(d, o);

	free(d);
	return err;
}

static int check_machine(void)
{
	char rerun[FAIL_ROOT_MAX];
	int err = disk_serve_may();

	if (err)
		return err;
	if (geteuid() != 0)
		return fail(EPERM, "a simulated disk needs root%s",
			    fail_as_root(rerun, sizeof(rerun)));
	if (access("/dev/fuse", R_OK | W_OK))
		return fail(ENOTSUP,
			    "a simulated disk needs /dev/fuse: %s; load the "
			    "module fuse, or give the container this device",
			    strerror(errno));
	if (!loop_device_may())
		return fail(ENOTSUP,
			    "a simulated disk needs loop devices, and "
			    "/dev/loop-control cannot be used: %s",
			    strerror(errno));
	return 0;
}

/* --- the page --- */

static int make_page(struct disk *d)
{
	int fd;

	mkdir("/" RUN, 0755);
	mkdir(DISK_PLACE, 0700);
	snprintf(d->file, sizeof(d->file), "/" RUN "/" START "%d",
		 (int)getpid());
	for (unsigned i = 1; i < 100; i++) {
		fd = open(d->file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd >= 0 || errno != EEXIST)
			break;
		snprintf(d->file, sizeof(d->file), "/" RUN "/" START "%d-%u",
			 (int)getpid(), i);
	}
	if (fd < 0 || ftruncate(fd, sizeof(*d->page))) {
		int error = errno;

		descriptor_close(fd);
		d->file[0] = '\0';
		return fail(error, "cannot make the page of a disk below "
				   "/run/iodyno: %s",
			    strerror(error));
	}
	d->page = mmap(NULL, sizeof(*d->page), PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	close(fd);
	if (d->page == MAP_FAILED)
		die("out of memory (disk)");
	d->page->head.magic = SIMULATED_MAGIC;
	d->page->head.maker = getpid();
	return 0;
}

/* --- the queue --- */

/* A descriptor to write to, or -errno. */
static int disk_open_file(const char *device, const char *file)
{
	char path[SYSFS_PATH_MAX];
	struct root root;
	int fd;

	if (!sysfs_path_of(path, sizeof(path), device, file) ||
	    root_open(&root, NULL) < 0)
		return -ENOENT;
	fd = root_open_file(&root, path, O_WRONLY | O_CLOEXEC);
	root_close(&root);
	return fd;
}

static int disk_write_file(const char *device, const char *file,
			   const char *value)
{
	int fd = disk_open_file(device, file), rc;

	if (fd < 0)
		return fd;
	rc = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

static void disk_read_file(const char *device, const char *file, char *buf,
			   size_t size)
{
	char path[SYSFS_PATH_MAX];
	struct root root;

	*buf = '\0';
	if (!sysfs_path_of(path, sizeof(path), device, file) ||
	    root_open(&root, NULL) < 0)
		return;
	if (root_read_line(&root, path, buf, size) < 0)
		*buf = '\0';
	root_close(&root);
}

/* The scheduler in use of "none [bfq] kyber". */
static void active_scheduler(const char *device, char *buf, size_t size)
{
	char line[256], *begin, *end;

	disk_read_file(device, "queue/scheduler", line, sizeof(line));
	begin = strchr(line, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (end)
		*end = '\0';
	text_copy(buf, size, end ? begin + 1 : "none");
}

/*
 * With the scheduler none, nr_requests is the number of the driver's own tags,
 * and they stay so when a scheduler is chosen afterwards.
 */
static int set_queue(struct disk *d)
{
	const char *device = d->loop.device;
	char tags[16];
	int err;

	active_scheduler(device, d->page->scheduler, sizeof(d->page->scheduler));
	err = disk_write_file(device, "queue/scheduler", "none");
	disk_read_file(device, "queue/nr_requests", d->page->nr_requests,
		       sizeof(d->page->nr_requests));
	snprintf(tags, sizeof(tags), "%u",
		 d->model.depth < LEAST_TAGS ? LEAST_TAGS
					     : (unsigned)d->model.depth);
	if (!err)
		err = disk_write_file(device, "queue/nr_requests", tags);
	if (err)
		return fail(-err, "cannot set the depth of %s: %s", device,
			    strerror(-err));
	disk_read_file(device, "queue/read_ahead_kb", d->page->read_ahead,
		       sizeof(d->page->read_ahead));
	/* Facts that programs read; an older kernel may refuse them. */
	(void)!disk_write_file(device, "queue/rotational",
			       disk_model_has_arm(&d->model) ? "1" : "0");
	/* The kernel's default for such a disk: 75 ms with an arm, else 2 ms. */
	disk_read_file(device, "queue/wbt_lat_usec", d->page->wbt,
		       sizeof(d->page->wbt));
	if (*d->page->wbt)
		(void)!disk_write_file(device, "queue/wbt_lat_usec", "-1");
	(void)!disk_write_file(device, "queue/write_cache",
			       d->model.cache_bytes && d->model.cache_volatile
				       ? "write back"
				       : "write through");
	/*
	 * The kernel's default for a disk; a loop device has that of its file. The
	 * last of all, as the others set it anew.
	 */
	(void)!disk_write_file(device, "queue/read_ahead_kb", "128");
	return 0;
}

/* What is to be put back: a descriptor of each file, and its value. */
struct depth_before {
	int fd[5];
	const char *value[5];
	size_t n;
	_Atomic uint32_t *done; /* set when all is put back; may be NULL */
};

static void restore_serve(int socket, void *arg)
{
	const struct depth_before *r = arg;
	bool ok = true;

	for (size_t i = 0; i < r->n; i++)
		ok &= write(r->fd[i], r->value[i], strlen(r->value[i])) > 0;
	if (ok && r->done)
		*r->done = 1;
}

static bool restoring_open(struct depth_before *r, const char *device,
			   const char *file, const char *value)
{
	r->fd[r->n] = *value ? disk_open_file(device, file) : -1;
	r->value[r->n] = value;
	if (r->fd[r->n] >= 0)
		r->n++;
	return !*value || (r->n && r->value[r->n - 1] == value);
}

/* Wait for the end of a process, at most so many ms. */
static bool disk_wait(pid_t pid, unsigned ms)
{
	for (unsigned i = 0; i <= ms; i++) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return true;
		clock_pause_ns(1000000);
	}
	return false;
}

/*
 * Put back what set_queue() changed, at most for so many ms. The kernel waits
 * for all I/O in flight, for ever if the process of the disk was stopped, and no
 * signal ends that: a process of its own does it, and sets *done at last.
 */
static void restore_queue(const struct disk_page *p, _Atomic uint32_t *done,
			  unsigned ms)
{
	const char *device = p->head.device;
	struct depth_before r = { .done = done };
	const struct role_start start = { .role = ROLE_WRITER,
					  .keep = r.fd,
					  .n = ARRAY_SIZE(r.fd),
					  .serve = restore_serve,
					  .arg = &r };
	bool ok = restoring_open(&r, device, "queue/scheduler", "none");
	pid_t pid;

	ok &= restoring_open(&r, device, "queue/nr_requests", p->nr_requests);
	ok &= restoring_open(&r, device, "queue/scheduler", p->scheduler);
	ok &= restoring_open(&r, device, "queue/wbt_lat_usec", p->wbt);
	ok &= restoring_open(&r, device, "queue/read_ahead_kb", p->read_ahead);
	for (size_t i = r.n; i < ARRAY_SIZE(r.fd); i++)
		r.fd[i] = -1;
	if (!ok)
		r.done = NULL;
	pid = role_start(&start, NULL);
	for (size_t i = 0; i < r.n; i++)
		close(r.fd[i]);
	if (pid > 0)
		disk_wait(pid, ms);
}

/* --- making --- */

static int start_process(struct disk *d, const struct disk_options *o, int *file)
{
	struct disk_serving how = {
		.model = &d->model,
		.bytes = o->bytes,
		.seed = o->seed,
		.faults = &d->faults,
		.page = d->page,
		.ring = d->ring,
	};
	struct role_start start = { .role = ROLE_DISK,
				    .keep = &how.socket,
				    .n = 1,
				    .prepare = disk_serve_prepare,
				    .serve = disk_serve,
				    .arg = &how };
	struct disk_greeting g = { 0 };
	int pair[2];
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return fail(errno, "cannot make a socket: %s", strerror(errno));
	d->socket = pair[0];
	how.socket = pair[1];
	d->pid = role_start(&start, NULL);
	close(pair[1]);
	if (d->pid < 0)
		return d->pid;
	*file = -1;
	do
		n = descriptor_receive(d->socket, &g, sizeof(g), file, 1);
	while (n < 0 && errno == EINTR);
	if (n == sizeof(g) && !g.error && *file >= 0)
		return 0;
	g.step[sizeof(g.step) - 1] = '\0';
	return fail(n == sizeof(g) && g.error ? g.error : EPIPE,
		    "the process of the simulated disk cannot %s: %s",
		    n == sizeof(g) ? g.step : "start",
		    n == sizeof(g) ? strerror(g.error) : "it has ended");
}

static int attach(struct disk *d, int file)
{
	char label[64];
	int err;

	snprintf(label, sizeof(label), "iodyno-disk %d %s", (int)getpid(),
		 d->model.name);
	err = loop_device_attach(&d->loop, file, label);
	if (err)
		return fail(-err, "cannot attach a loop device: %s",
			    strerror(-err));
	text_set(d->page->head.device, d->loop.device);
	return set_queue(d);
}

int disk_start(struct disk *d, const struct disk_options *o)
{
	int err, file = -1;

	memset(d, 0, sizeof(*d));
	d->loop.fd = d->socket = -1;
	err = disk_parse(d, o);
	if (!err)
		err = check_machine();
	if (!err)
		err = make_page(d);
	if (err)
		return err;
	text_set(d->page->model, o->model);
	d->page->bytes = o->bytes;
	if (o->truth)
		d->ring = xshared(sizeof(*d->ring));
	err = start_process(d, o, &file);
	if (!err)
		err = attach(d, file);
	descriptor_close(file);
	if (err) {
		(void)!disk_stop(d, 1000);
		disk_free(d);
	}
	return err;
}

int disk_fd(const struct disk *d)
{
	return d->socket;
}

bool disk_ended(const struct disk *d)
{
	char c;

	return recv(d->socket, &c, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

void disk_order(const struct disk *d, bool cut)
{
	char order = cut ? DISK_ORDER_CUT : DISK_ORDER_BACK;

	if (send(d->socket, &order, 1, MSG_NOSIGNAL) < 0) {
		/* The process has ended. */
	}
}

int disk_stop(struct disk *d, unsigned ms)
{
	if (d->loop.fd >= 0) {
		/* While the device is ours: another program may get it next. */
		if (*d->page->head.device)
			restore_queue(d->page, &d->page->done, ms / 2);
		close(d->loop.fd);
		d->loop.fd = -1;
	}
	if (d->pid <= 0)
		return 0;
	if (!disk_wait(d->pid, ms / 2))
		return -EBUSY;
	d->pid = 0;
	return 0;
}

void disk_free(struct disk *d)
{
	descriptor_close(d->socket);
	d->socket = -1;
	/* Without root's rights the next start does what is left. */
	if (d->file[0] && (!d->page || d->page->done || !*d->page->head.device))
		unlink(d->file);
	d->file[0] = '\0';
	if (d->page)
		munmap(d->page, sizeof(*d->page));
	d->page = NULL;
	xshared_free(d->ring, d->ring ? sizeof(*d->ring) : 0);
	d->ring = NULL;
}

/* --- other disks --- */

/* Whether the process still is this disk, and no other with its number. */
static bool is_alive(const struct root *root, const struct disk_page *p)
{
	char path[64], line[256], *end;

	if (p->head.pid <= 0)
		return p->head.maker > 0 && kill(p->head.maker, 0) == 0;
	snprintf(path, sizeof(path), "proc/%d/stat", (int)p->head.pid);
	if (root_read_line(root, path, line, sizeof(line)) <= 0)
		return false;
	end = strstr(line, "(iodyno-disk) ");
	return end && !strchr("ZXx", end[strlen("(iodyno-disk) ")]);
}

/* Call fn for each page; fn returns whether to remove the file. */
static void each_page(const struct root *root,
		      bool (*fn)(const struct root *root,
				 const struct disk_page *p, void *arg),
		      void *arg)
{
	DIR *d = root->live ? root_open_dir(root, RUN) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		const struct disk_page *p;

		if (strncmp(e->d_name, START, strlen(START)))
			continue;
		p = (const void *)simulated_map_file(dirfd(d), e->d_name,
						     sizeof(*p));
		if (!p)
			continue;
		if (fn(root, p, arg))
			unlinkat(dirfd(d), e->d_name, 0);
		munmap((void *)(uintptr_t)p, sizeof(*p));
	}
	if (d)
		closedir(d);
}

static bool recover_one(const struct root *root, const struct disk_page *p,
			void *arg)
{
	char path[64], label[64];

	if (is_alive(root, p))
		return false;
	snprintf(path, sizeof(path), "/dev/%s", p->head.device);
	/* Another program may use the device now. */
	if (!p->done && *p->head.device && !loop_device_label(path, label, sizeof(label)))
		restore_queue(p, NULL, RECOVER_MS);
	return true;
}

void disk_recover(const struct root *root)
{
	if (root->live && geteuid() == 0)
		each_page(root, recover_one, NULL);
}

struct ending {
	const char *device;
	unsigned n;
};

static bool end_one(const struct root *root, const struct disk_page *p,
		    void *arg)
{
	struct ending *e = arg;
	char path[64], label[64], mine[32];

	if (!is_alive(root, p) || !*p->head.device ||
	    (e->device && strcmp(e->device, p->head.device)))
		return false;
	/* The label says which process made it. */
	snprintf(path, sizeof(path), "/dev/%s", p->head.device);
	snprintf(mine, sizeof(mine), "iodyno-disk %d ", (int)p->head.maker);
	if (!loop_device_label(path, label, sizeof(label)) ||
	    strncmp(label, mine, strlen(mine)))
		return false;
	e->n += kill(p->head.maker, SIGTERM) == 0;
	return false;
}

unsigned disk_end_others(const struct root *root, const char *device)
{
	struct ending e = { .device = device };

	if (device && !strncmp(device, "/dev/", 5))
		e.device = device + 5;
	each_page(root, end_one, &e);
	return e.n;
}
