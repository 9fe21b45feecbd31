/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk serve: a FUSE file system of one file, by the low-level interface of
 * libfuse3, with a loop of its own: it takes requests as they come and answers
 * each when the simulation has ended it.
 *
 * Answers are due at absolute times. The process sleeps until shortly before the
 * next one and then looks at the clock without sleeping. How long before, it
 * learns from how late it is woken, which in a virtual machine may be more than
 * 100 us. It asks for a real-time priority, because an ordinary process waits
 * behind others.
 */
#include "disk/disk_serve.h"

#include <errno.h>

#include "base/fail.h"

#ifndef HAVE_FUSE

int disk_serve_may(void)
{
	return fail(ENOTSUP, "this iodyno was built without libfuse3, which a "
			     "simulated disk needs; on Debian: apt-get install "
			     "libfuse3-dev, and build again");
}

void disk_serve_prepare(void *arg)
{
}

void disk_serve(int socket, void *arg)
{
}

#else

#define FUSE_USE_VERSION 34
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "block/mounts.h"
#include "disk/disk_sim.h"
#include "disk/disk_store.h"

#define FILE_NAME  "disk"
#define FILE_INODE 2
/* Before a time the process waits for so long, at least and at most, without sleep. */
#define SPIN_LEAST_NS 50000
#define SPIN_MOST_NS  2000000
/*
 * After a window with less sleep than this the process spins as little as it can. Linux
 * 6.8 and later take 50 ms in each second from a real-time process that leaves ordinary
 * ones none, and answers come as much later.
 */
#define WINDOW_NS 500000000
#define REST_NS	  50000000
/* Only with more time than this is memory made ready. */
#define PREPARE_NS    250000
/* So long without a request, and memory that is too much is given back. */
#define IDLE_NS	      100000000
/* Requests that the kernel may send before the first is answered. */
#define BACKGROUND 256
#define WRITE_MAX  (1u << 20)

#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57 /* Linux 5.6 */
#endif

struct disk_process {
	struct disk_serving *how;
	struct disk_sim *sim;
	struct disk_store *store;
	struct disk_request *spare; /* requests to use again */
	struct fuse_session *session;
	uint64_t start_ns, number;
	uint64_t spin_ns; /* SPIN_LEAST_NS to SPIN_MOST_NS */
	uint64_t window_ns, slept_ns; /* its begin, and the sleep in it */
	uint64_t arrived_ns;	      /* the last request */
	bool tired;		      /* slept less than REST_NS in the last */
	bool off;	  /* power */
};

/* What belongs to a request and not to the simulation. */
struct extra {
	struct disk_request request; /* first */
	fuse_req_t fuse;
	unsigned kinds;
	uint64_t number;
};

static uint64_t disk_serve_now(const struct disk_process *s)
{
	return clock_mono_ns() - s->start_ns;
}

static struct extra *take_spare(struct disk_process *s)
{
	struct disk_request *r = s->spare;

	if (r)
		s->spare = r->next;
	else
		r = &((struct extra *)xmalloc(sizeof(struct extra)))->request;
	memset(r, 0, sizeof(struct extra));
	return (struct extra *)r;
}

/* --- answers --- */

/* The data of a read, page by page. */
static void reply_data(struct disk_process *s, const struct extra *e)
{
	const struct disk_request *r = &e->request;
	struct iovec part[WRITE_MAX / DISK_PAGE + 1];
	uint64_t end = r->offset + r->bytes, next;
	int n = 0;

	for (uint64_t at = r->offset; at < end; at = next) {
		next = (at / DISK_PAGE + 1) * DISK_PAGE;
		next = next < end ? next : end;
		part[n].iov_base = (void *)(uintptr_t)disk_store_at(s->store, at);
		part[n++].iov_len = next - at;
	}
	fuse_reply_iov(e->fuse, part, n);
}

static void reply(struct disk_process *s, struct extra *e)
{
	const struct disk_request *r = &e->request;

	if (r->error)
		fuse_reply_err(e->fuse, r->error);
	else if (r->op == DISK_READ)
		reply_data(s, e);
	else if (r->op == DISK_WRITE)
		fuse_reply_write(e->fuse, r->bytes);
	else
		fuse_reply_err(e->fuse, 0);
}

/* Write down what happened, answer, and use the memory again. */
static void end_request(struct disk_process *s, struct extra *e, uint64_t answer_ns)
{
	const struct disk_request *r = &e->request;
	struct disk_truth t = {
		.number = e->number,
		.offset = r->offset,
		.bytes = r->bytes,
		.arrival_ns = r->arrival_ns,
		.start_ns = r->start_ns,
		.end_ns = r->end_ns,
		.answer_ns = answer_ns,
		.op = (uint16_t)r->op,
		.error = (uint16_t)r->error,
		.kinds = (uint16_t)e->kinds,
		.hit = r->hit,
	};

	/* Without a cache it is on the medium now, else in one that keeps it. */
	if (r->op == DISK_WRITE && !r->error && !s->off &&
	    !(s->how->model->cache_bytes && s->how->model->cache_volatile))
		disk_store_secure(s->store, r->offset, r->bytes);
	reply(s, e);
	disk_truth_count(s->how->page, s->how->ring, &t);
	e->request.next = s->spare;
	s->spare = &e->request;
}

/* --- requests --- */

/* Data go into the store at arrival; the order of overlapping I/O is open. */
static void disk_serve_store(struct disk_process *s, struct extra *e,
			     const char *data, const struct disk_harm *h)
{
	struct disk_request *r = &e->request;
	uint64_t place = r->offset, bytes = r->bytes;

	if (h->kinds & 1u << DISK_FAULT_LOST)
		return;
	if (h->kinds & 1u << DISK_FAULT_MISPLACED)
		place = h->place;
	if (h->kinds & 1u << DISK_FAULT_TORN)
		bytes = h->keep;
	disk_store_write(s->store, place, bytes, data);
	if (place == r->offset)
		return;
	disk_store_begin(s->store, place, bytes);
	disk_store_arrive(s->store, place, bytes);
}

static void disk_serve_arrive(fuse_req_t fuse, enum disk_op op, uint64_t offset,
			      uint64_t bytes, const char *data)
{
	struct disk_process *s = fuse_req_userdata(fuse);
	uint64_t t = disk_serve_now(s);
	struct disk_harm h;
	struct extra *e;

	if (offset % DISK_SECTOR || bytes % DISK_SECTOR ||
	    offset > s->how->bytes || bytes > s->how->bytes - offset ||
	    (op == DISK_READ && bytes > WRITE_MAX)) {
		fuse_reply_err(fuse, EINVAL);
		return;
	}
	h = disk_faults_strike(s->how->faults, t, op, offset, bytes,
			       s->how->bytes);
	s->arrived_ns = t;
	e = take_spare(s);
	e->fuse = fuse;
	e->kinds = h.kinds;
	e->number = ++s->number;
	e->request.op = op;
	e->request.offset = offset;
	e->request.bytes = bytes;
	e->request.arrival_ns = t;
	e->request.factor = h.factor;
	e->request.error = s->off ? EIO : h.error;
	e->request.ignore = h.kinds & 1u << DISK_FAULT_LIE;
	if (s->off) {
		e->request.start_ns = e->request.end_ns = t;
		end_request(s, e, t);
		return;
	}
	if (op == DISK_WRITE && !e->request.error)
		disk_serve_store(s, e, data, &h);
	if (op == DISK_DISCARD && !e->request.error)
		disk_store_discard(s->store, offset, bytes);
	disk_sim_add(s->sim, &e->request);
}

/* --- the file system --- */

static void op_init(void *data, struct fuse_conn_info *c)
{
	c->want &= ~(unsigned)(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
			       FUSE_CAP_SPLICE_MOVE);
	c->max_write = WRITE_MAX;
	c->max_background = BACKGROUND;
	c->congestion_threshold = BACKGROUND;
}

static void attributes(const struct disk_process *s, uint64_t inode, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = inode;
	st->st_mode = inode == FILE_INODE ? S_IFREG | 0600 : S_IFDIR | 0700;
	st->st_nlink = 1;
	st->st_size = inode == FILE_INODE ? (off_t)s->how->bytes : 0;
	st->st_blksize = 4096;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct disk_process *s = fuse_req_userdata(req);
	struct fuse_entry_param e = { .ino = FILE_INODE,
				      .attr_timeout = 1e6,
				      .entry_timeout = 1e6 };

	if (parent != FUSE_ROOT_ID || strcmp(name, FILE_NAME)) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	attributes(s, FILE_INODE, &e.attr);
	fuse_reply_entry(req, &e);
}

static void op_getattr(fuse_req_t req, fuse_ino_t inode,
		       struct fuse_file_info *f)
{
	struct stat st;

	attributes(fuse_req_userdata(req), inode, &st);
	fuse_reply_attr(req, &st, 1e6);
}

static void op_open(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *f)
{
	f->direct_io = 1;
	fuse_reply_open(req, f);
}

static void op_read(fuse_req_t req, fuse_ino_t inode, size_t size, off_t offset,
		    struct fuse_file_info *f)
{
	disk_serve_arrive(req, DISK_READ, (uint64_t)offset, size, NULL);
}

static void op_write(fuse_req_t req, fuse_ino_t inode, const char *data,
		     size_t size, off_t offset, struct fuse_file_info *f)
{
	disk_serve_arrive(req, DISK_WRITE, (uint64_t)offset, size, data);
}

static void op_fsync(fuse_req_t req, fuse_ino_t inode, int data_only,
		     struct fuse_file_info *f)
{
	disk_serve_arrive(req, DISK_FLUSH, 0, 0, NULL);
}

static void op_flush(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *f)
{
	fuse_reply_err(req, 0);
}

/* A discard, or zeros. */
static void op_fallocate(fuse_req_t req, fuse_ino_t inode, int mode,
			 off_t offset, off_t length, struct fuse_file_info *f)
{
	if (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
		disk_serve_arrive(req, DISK_DISCARD, (uint64_t)offset,
				  (uint64_t)length, NULL);
	else
		fuse_reply_err(req, EOPNOTSUPP);
}

static void op_statfs(fuse_req_t req, fuse_ino_t inode)
{
	struct statvfs v = { .f_bsize = 4096, .f_frsize = 4096,
			     .f_namemax = 255 };

	fuse_reply_statfs(req, &v);
}

static const struct fuse_lowlevel_ops operations = {
	.init = op_init,
	.lookup = op_lookup,
	.getattr = op_getattr,
	.open = op_open,
	.read = op_read,
	.write = op_write,
	.flush = op_flush,
	.fsync = op_fsync,
	.fallocate = op_fallocate,
	.statfs = op_statfs,
};

/* --- power --- */

static void cut_power(struct disk_process *s)
{
	if (s->off)
		return;
	s->off = true;
	s->how->page->off = 1;
	s->how->page->faults[DISK_FAULT_CUT]++;
	disk_sim_cut(s->sim, s->sim->time_ns);
	s->how->page->lost_sectors += disk_store_cut(
		s->store, s->how->seed + s->how->page->faults[DISK_FAULT_CUT], s->how->model->atom_bytes >= 4096);
}

static void restore_power(struct disk_process *s)
{
	s->off = false;
	s->how->page->off = 0;
}

static void take_order(struct disk_process *s)
{
	char order;

	if (recv(s->how->socket, &order, 1, MSG_DONTWAIT) != 1)
		return;
	if (order == DISK_ORDER_CUT)
		cut_power(s);
	else if (order == DISK_ORDER_BACK)
		restore_power(s);
}

static void let_faults_happen(struct disk_process *s, uint64_t t)
{
	enum disk_event what;
	uint64_t value;
	unsigned bit;

	while ((what = disk_faults_event(s->how->faults, t, &value, &bit))) {
		switch (what) {
		case DISK_STALL:
			s->how->page->faults[DISK_FAULT_STALL]++;
			disk_sim_stall(s->sim, value);
			break;
		case DISK_CUT:
			cut_power(s);
			break;
		case DISK_BACK:
			restore_power(s);
			break;
		case DISK_DECAY:
			disk_store_flip(s->store, value, bit);
			break;
		default:
			break;
		}
	}
}

/* --- the loop --- */

/* Tell the store what the cache wrote. */
static void move_data(struct disk_process *s)
{
	for (unsigned i = 0; i < s->sim->n_moves; i++) {
		const struct disk_move *m = &s->sim->move[i];

		if (!s->how->model->cache_volatile)
			continue;
		if (m->arrived)
			disk_store_arrive(s->store, m->offset, m->bytes);
		else
			disk_store_begin(s->store, m->offset, m->bytes);
	}
	s->sim->n_moves = 0;
}

/* Let happen what is due, and answer. Returns when the next thing is due. */
static uint64_t work(struct disk_process *s)
{
	struct disk_request *r;
	uint64_t t = disk_serve_now(s), next, fault;

	fault = disk_faults_next(s->how->faults);
	while (fault <= t) {
		disk_sim_advance(s->sim, fault);
		move_data(s);
		let_faults_happen(s, t);
		fault = disk_faults_next(s->how->faults);
	}
	disk_sim_advance(s->sim, t);
	while (s->sim->n_moves >= DISK_MOVES_MAX / 2) {
		move_data(s);
		disk_sim_advance(s->sim, t);
	}
	move_data(s);
	while ((r = disk_sim_take(s->sim, t)))
		end_request(s, (struct extra *)r, disk_serve_now(s));
	next = disk_sim_next(s->sim);
	return fault < next ? fault : next;
}

/* Woken so late: spin for longer at once, for less little by little. */
static void learn_spin(struct disk_process *s, uint64_t late_ns)
{
	uint64_t least = late_ns + late_ns / 2;

	s->spin_ns -= s->spin_ns / 256;
	if (s->spin_ns < least)
		s->spin_ns = least;
	if (s->spin_ns < SPIN_LEAST_NS)
		s->spin_ns = SPIN_LEAST_NS;
	if (s->spin_ns > SPIN_MOST_NS)
		s->spin_ns = SPIN_MOST_NS;
}

/* Wait for a request, an order or a time. False: the file system is gone. */
static bool disk_serve_wait_until(struct disk_process *s, uint64_t due)
{
	struct pollfd p[2] = {
		{ .fd = fuse_session_fd(s->session), .events = POLLIN },
		{ .fd = s->how->socket, .events = POLLIN },
	};
	struct timespec ts;
	uint64_t t = disk_serve_now(s), ns = 0, spin_ns = s->spin_ns;
	bool prepare;
	int n;

	if (t - s->window_ns >= WINDOW_NS) {
		s->tired = s->slept_ns < REST_NS;
		s->window_ns = t;
		s->slept_ns = 0;
	}
	if (s->tired)
		spin_ns = SPIN_LEAST_NS;
	if (due > t + spin_ns)
		ns = due - t - spin_ns;
	prepare = ns > PREPARE_NS &&
		  disk_store_lacks(s->store, t - s->arrived_ns >= IDLE_NS);
	if (prepare)
		ns = 0;
	else if (ns > IDLE_NS && disk_store_lacks(s->store, true))
		ns = IDLE_NS;
	ts = clock_timespec(ns);
	n = ppoll(p, 2, ns > UINT64_MAX / 2 ? NULL : &ts, NULL);
	if (ns)
		s->slept_ns += disk_serve_now(s) - t;
	if (n < 0)
		return errno == EINTR;
	if (n == 0 && prepare)
		disk_store_prepare(s->store);
	else if (n == 0 && ns)
		learn_spin(s, disk_serve_now(s) - t - ns);
	if (p[1].revents & POLLIN)
		take_order(s);
	if (p[1].revents & (POLLHUP | POLLERR)) {
		/* The maker has ended; others may have the disk open. */
		s->how->socket = -1;
	}
	return !(p[0].revents & (POLLERR | POLLNVAL));
}

/* A flood of requests must not delay the answers that are due: one at a time. */
static void loop(struct disk_process *s)
{
	struct fuse_buf buf = { 0 };
	int n;

	while (disk_serve_wait_until(s, work(s))) {
		n = fuse_session_receive_buf(s->session, &buf);
		if (n > 0)
			fuse_session_process_buf(s->session, &buf);
		else if (n != -EINTR && n != -EAGAIN)
			return;
	}
}

/* --- the process --- */

static void greet(int socket, int error, const char *step, int fd)
{
	struct disk_greeting g = { .error = error };

	text_set(g.step, step);
	if (descriptor_send(socket, &g, sizeof(g), &fd, 1) < 0) {
		/* The maker has ended. */
	}
}

/*
 * In a child: open the file, which the parent serves, and send it. Then unmount,
 * so that the file system goes with the last descriptor of the file.
 */
static void never_returns disk_serve_open_file(int socket)
{
	int fd = open(DISK_PLACE "/" FILE_NAME, O_RDWR | O_CLOEXEC), error = errno;

	umount2(DISK_PLACE, MNT_DETACH);
	greet(socket, fd < 0 ? error : 0, "open its file", fd);
	_exit(0);
}

static void never_returns give_up(const struct disk_serving *how, int error,
				  const char *step)
{
	greet(how->socket, error, step, -1);
	_exit(1);
}

static void mount_it(struct disk_process *s)
{
	const struct disk_serving *how = s->how;
	char *argv[] = { (char *)"iodyno",
			 (char *)"-ofsname=iodyno-disk,subtype=iodyno" };
	struct fuse_args args = FUSE_ARGS_INIT(ARRAY_SIZE(argv), argv);

	if (mounts_own() < 0)
		give_up(how, errno, "make a namespace of mounts");
	s->session = fuse_session_new(&args, &operations, sizeof(operations), s);
	if (!s->session)
		give_up(how, EINVAL, "begin with libfuse3");
	errno = 0;
	if (fuse_session_mount(s->session, DISK_PLACE))
		give_up(how, errno ? errno : EPERM, "mount its file system");
	if (fcntl(fuse_session_fd(s->session), F_SETFL, O_NONBLOCK) < 0)
		give_up(how, errno, "read without waiting");
}

/*
 * On any processor, not nice, and one real-time priority above the program's, whose
 * load would go first otherwise. As exact as the machine allows; none of it is needed.
 * The kernel leaves a twentieth of each processor to ordinary processes.
 */
static void ask_for_priority(void)
{
	struct sched_param p = { .sched_priority = 0 };
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
	if (sched_getparam(0, &p) < 0 ||
	    p.sched_priority >= sched_get_priority_max(SCHED_RR))
		return;
	p.sched_priority++;
	if (sched_setscheduler(0, SCHED_RR, &p) < 0)
		setpriority(PRIO_PROCESS, 0, -20);
}

/* Memory that is got now is not got while an answer is due. */
static void touch_all(void *p, size_t bytes)
{
	for (volatile char *c = p; p && c < (char *)p + bytes; c += DISK_PAGE)
		*c = *c;
}

int disk_serve_may(void)
{
	return 0;
}

void disk_serve_prepare(void *arg)
{
	struct disk_serving *how = arg;
	struct disk_process *s = xcalloc(1, sizeof(*s));

	s->how = how;
	s->spin_ns = SPIN_LEAST_NS;
	how->process = s;
	if (disk_store_new(&s->store, how->bytes) < 0)
		give_up(how, ENOMEM, "reserve its memory");
	s->sim = disk_sim_new(how->model, how->bytes, how->seed);
	touch_all(s->sim, sizeof(*s->sim));
	touch_all(how->page, sizeof(*how->page));
	touch_all(how->ring, sizeof(*how->ring));
	mount_it(s);
	signal(SIGCHLD, SIG_IGN);
	switch (fork()) {
	case -1:
		give_up(how, errno, "start a process");
	case 0:
		disk_serve_open_file(how->socket);
	default:
		break;
	}
	ask_for_priority();
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	/* Memory for a write must not come from a write to this disk. */
	prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
}

void disk_serve(int socket, void *arg)
{
	struct disk_serving *how = arg;
	struct disk_process *s = how->process;

	s->start_ns = clock_mono_ns();
	how->page->start_ns = s->start_ns;
	how->page->head.pid = getpid();
	loop(s);
}

#endif
