/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel log: /dev/kmsg, one message a read(2).
 */
#include "collect/collect.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/attributes.h"
#include "base/text.h"

#define RECORD_BYTES 8192

bool kernel_log_open(struct kernel_log *k, const struct root *root)
{
	k->fd = root_open_file(root, "dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (k->fd < 0)
		k->fd = -1;
	kernel_log_skip(k);
	return k->fd >= 0;
}

void kernel_log_skip(struct kernel_log *k)
{
	if (k->fd >= 0 && lseek(k->fd, 0, SEEK_END) < 0)
		kernel_log_close(k);
}

void kernel_log_close(struct kernel_log *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}

/* "6,339,5140900,-;text\n KEY=value\n": the text. */
bool kernel_log_next(struct kernel_log *k, char *text, size_t size)
{
	char record[RECORD_BYTES], *at;
	ssize_t n;

	if (k->fd < 0)
		return false;
	/* EPIPE: the kernel has overwritten the next ones; go on behind them.
	 */
	do
		n = read(k->fd, record, sizeof(record) - 1);
	while (n < 0 && (errno == EPIPE || errno == EINTR));
	if (n <= 0)
		return false;
	record[n] = '\0';
	record[strcspn(record, "\n")] = '\0';
	at = strchr(record, ';');
	text_copy(text, size, at ? at + 1 : record);
	text_clean(text);
	return true;
}

/* Words of the kernel's messages (block/blk-core.c, drivers/scsi, drivers/ata,
 * drivers/nvme, fs, kernel/hung_task.c, mm/oom_kill.c). */
static const struct sign {
	const char *words;
	bool whole_machine;
} signs[] = {
	{ "I/O error", false },
	{ "critical medium error", false },
	{ "critical target error", false },
	{ "critical space allocation error", false },
	{ "protection error", false },
	{ "Medium Error", false },
	{ "Hardware Error", false },
	{ "timing out command", false },
	{ "failed command:", false },
	{ "hard resetting link", false },
	{ "resetting controller", false },
	{ "reset controller", false },
	{ "timeout, aborting", false },
	{ "timeout, reset", false },
	{ "attempting task abort", false },
	{ "device reset", false },
	{ "-fs error (device", false },
	{ "Remounting filesystem read-only", false },
	{ "Filesystem has been shut down", false },
	{ "Corruption detected", false },
	{ "forced readonly", false },
	{ "blocked for more than", true },
	{ "soft lockup", true },
	{ "hard LOCKUP", true },
	{ "Kernel panic", true },
	{ "general protection fault", true },
	{ "unable to handle", true },
	{ "Out of memory: Killed process", true },
};

/* The name as a word; a partition of it counts ("sda1", "nvme0n1p2"). */
static bool names(const char *text, const char *device, size_t n)
{
	const char *at = text;

	while ((at = strstr(at, device))) {
		const char *end = at + n;

		if ((at == text || !isalnum((unsigned char)at[-1])) &&
		    (!isdigit((unsigned char)device[n - 1]) ||
		     !isdigit((unsigned char)*end)) &&
		    (!isalpha((unsigned char)*end) || *end == 'p'))
			return true;
		at = end;
	}
	return false;
}

/* Messages about an NVMe controller have its name, "nvme0". */
static bool is_of(const char *text, const char *device)
{
	size_t n = strlen(device);
	char controller[16];

	if (names(text, device, n))
		return true;
	if (strncmp(device, "nvme", 4) != 0)
		return false;
	n = 4 + strspn(device + 4, "0123456789");
	if (n >= sizeof(controller))
		return false;
	memcpy(controller, device, n);
	controller[n] = '\0';
	return names(text, controller, n);
}

enum kernel_log_sign kernel_log_judge(const char *text, const char *device)
{
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		if (!strcasestr(text, signs[i].words))
			continue;
		return signs[i].whole_machine || (device && is_of(text, device))
			       ? KERNEL_LOG_DEVICE
			       : KERNEL_LOG_OTHER;
	}
	return KERNEL_LOG_NOTHING;
}
