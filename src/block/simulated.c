/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated: find and map the pages of simulated disks. */
#include "block/simulated.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"

/* All of a page is mapped by other functions; the head lies in its first page of
 * memory. */
_Static_assert(sizeof(struct simulated) <= 4096, "the head of a page");

const struct simulated *simulated_map_file(int dir, const char *name,
					   uint64_t bytes)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct simulated *s = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_uid == 0 && (uint64_t)st.st_size >= bytes)
		s = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (s == MAP_FAILED)
		return NULL;
	if (s->magic == SIMULATED_MAGIC)
		return s;
	munmap(s, bytes);
	return NULL;
}

const struct simulated *simulated_map(const struct root *root,
				      const char *device)
{
	DIR *d = root->live ? root_open_dir(root, SIMULATED_RUN) : NULL;
	const struct simulated *s = NULL;
	const char *name;

	while (!s && (name = descriptor_entry(&d))) {
		if (strncmp(name, SIMULATED_START, strlen(SIMULATED_START)) != 0)
			continue;
		s = simulated_map_file(dirfd(d), name, sizeof(*s));
		if (s && strcmp(s->device, device) != 0) {
			simulated_unmap(s);
			s = NULL;
		}
	}
	if (d)
		closedir(d);
	return s;
}

void simulated_unmap(const struct simulated *s)
{
	if (s)
		munmap((void *)(uintptr_t)s, sizeof(*s));
}
