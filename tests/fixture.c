/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fixtures: directories, files, trees and devices. */
#include "fixture.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "test.h"

#define ZRAM "/sys/class/zram-control/"

char *make_dir(void)
{
	char *dir = xstrdup("/var/tmp/iodyno-workload-XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(dir));
	return dir;
}

int run_command(const char *fmt, ...)
{
	char command[2000];
	va_list ap;
	int n = snprintf(command, sizeof(command),
			 "PATH=$PATH:/usr/sbin:/sbin; { ");

	va_start(ap, fmt);
	n += vsnprintf(command + n, sizeof(command) - (size_t)n, fmt, ap);
	va_end(ap);
	snprintf(command + n, sizeof(command) - (size_t)n,
		 "; } >/dev/null 2>&1");
	return system(command);
}

void remove_dir(char *dir)
{
	run_command("rm -rf '%s'", dir);
	free(dir);
}

void make_file(const char *path, uint64_t size_bytes, int fill)
{
	char buf[65536];
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	memset(buf, fill, sizeof(buf));
	for (uint64_t at = 0; at < size_bytes; at += sizeof(buf)) {
		uint64_t rest = size_bytes - at;
		size_t n = rest < sizeof(buf) ? rest : sizeof(buf);

		ck_assert_uint_eq(fwrite(buf, 1, n, f), n);
	}
	ck_assert_int_eq(fclose(f), 0);
}

bool file_is_all(const char *path, int fill)
{
	unsigned char buf[65536];
	FILE *f = fopen(path, "r");
	bool same = true;
	size_t n;

	ck_assert_ptr_nonnull(f);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		for (size_t i = 0; i < n; i++)
			same &= buf[i] == (unsigned char)fill;
	fclose(f);
	return same;
}

/* Devices that detach themselves when this process ends. */
static struct {
	char name[32];
	int fd;
} kept[4];

static void keep(const char *name, int fd)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		if (*kept[i].name)
			continue;
		snprintf(kept[i].name, sizeof(kept[i].name), "%s", name);
		kept[i].fd = fd;
		return;
	}
	ck_abort_msg("too many loop devices");
}

bool loop_attach(const char *path, bool partitions, char *name, size_t size)
{
	struct loop_config config = {
		.info.lo_flags = LO_FLAGS_AUTOCLEAR |
				 (partitions ? LO_FLAGS_PARTSCAN : 0),
	};
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int file = open(path, O_RDWR | O_CLOEXEC), fd = -1;
	bool ok = false;

	config.fd = (uint32_t)file;
	for (int i = 0; control >= 0 && i < 20 && !ok; i++) {
		snprintf(name, size, "/dev/loop%d",
			 ioctl(control, LOOP_CTL_GET_FREE));
		fd = open(name, O_RDWR | O_CLOEXEC);
		ok = fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &config) == 0;
		if (ok)
			keep(name, fd);
		else if (fd >= 0)
			close(fd);
	}
	if (control >= 0)
		close(control);
	close(file);
	return ok;
}

void loop_detach(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		if (strcmp(kept[i].name, name))
			continue;
		close(kept[i].fd);
		*kept[i].name = '\0';
	}
}

bool can_loop(void)
{
	char path[] = "/var/tmp/iodyno-probe-XXXXXX", name[32];
	int fd = geteuid() == 0 ? mkstemp(path) : -1;
	bool ok;

	if (fd < 0)
		return false;
	ok = ftruncate(fd, 1 << 20) == 0 &&
	     loop_attach(path, false, name, sizeof(name));
	if (ok)
		loop_detach(name);
	close(fd);
	unlink(path);
	return ok;
}

char *make_tree(const char *name)
{
	char *dir = xasprintf("%s/iodyno-tree-XXXXXX",
			      access("/dev/shm", W_OK) == 0 ? "/dev/shm" :
							      "/tmp");

	ck_assert_ptr_nonnull(mkdtemp(dir));
	if (name)
		ck_assert_int_eq(run_command("cp -R '%s/roots/%s/.' '%s' && "
					     "chmod -R u+w '%s'",
					     SRCDIR, name, dir, dir),
				 0);
	return dir;
}

bool zram_add(uint64_t size_bytes, char *name, size_t size)
{
	FILE *f = geteuid() == 0 ? fopen(ZRAM "hot_add", "r") : NULL;
	int number = -1;

	if (!f)
		return false;
	if (fscanf(f, "%d", &number) != 1)
		number = -1;
	fclose(f);
	if (number < 0)
		return false;
	snprintf(name, size, "/dev/zram%d", number);
	if (run_command("echo %llu >/sys/block/zram%d/disksize",
			(unsigned long long)size_bytes, number)) {
		zram_remove(name);
		return false;
	}
	return true;
}

void zram_remove(const char *name)
{
	run_command("echo 1 >/sys/block/%s/reset; echo %s >" ZRAM "hot_remove",
		    name + strlen("/dev/"), name + strlen("/dev/zram"));
}
