/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of collect/smart: pages made by hand after the specifications, which
 * disks are asked, and a disk that does not answer in time.
 */
#include "collect_fixture.h"
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "block/mounts.h"
#include "collect/smart.h"

/* --- pages --- */

static void put(uint8_t *page, size_t at, size_t bytes, uint64_t value)
{
	for (size_t i = 0; i < bytes; i++, value >>= 8)
		page[at + i] = (uint8_t)value;
}

/* A drive of 50 C that heat has slowed 7 times; each number is another one. */
static void nvme_page(uint8_t page[SMART_PAGE])
{
	memset(page, 0, SMART_PAGE);
	put(page, 1, 2, 323);
	put(page, 3, 1, 100);
	put(page, 4, 1, 10);
	put(page, 5, 1, 3);
	put(page, 32, 8, 1000); /* 512000000 bytes */
	put(page, 48, 8, 2000);
	put(page, 112, 8, 41);
	put(page, 128, 8, 8760);
	put(page, 144, 8, 5);
	put(page, 160, 8, 2);
	put(page, 176, 8, 9);
	put(page, 192, 4, 11);
	put(page, 196, 4, 12);
	put(page, 200, 2, 330); /* sensor 1 */
	put(page, 216, 4, 7);
	put(page, 220, 4, 8);
	put(page, 224, 4, 70);
	put(page, 228, 4, 80);
}

static void put_sum(uint8_t page[SMART_PAGE])
{
	uint8_t sum = 0;

	for (size_t i = 0; i < SMART_PAGE - 1; i++)
		sum = (uint8_t)(sum + page[i]);
	page[SMART_PAGE - 1] = (uint8_t)-sum;
}

static void put_attribute(uint8_t *page, size_t n, uint8_t id, uint64_t raw)
{
	put(page, 2 + 12 * n, 1, id);
	put(page, 2 + 12 * n + 1, 2, 0x32);
	put(page, 2 + 12 * n + 3, 1, 100); /* value and worst value */
	put(page, 2 + 12 * n + 4, 1, 99);
	put(page, 2 + 12 * n + 5, 6, raw);
	put_sum(page);
}

/* Entry 2 is empty; 194 and 190 have other facts in the upper bytes. */
static void ata_page(uint8_t page[SMART_PAGE])
{
	memset(page, 0, SMART_PAGE);
	put(page, 0, 2, 16);
	put_attribute(page, 0, 5, 0x000100000003);
	put_attribute(page, 1, 9, 0x00aa00004e20);
	put_attribute(page, 3, 194, 0x002d00140024);
	put_attribute(page, 4, 190, 0x1f1f001f);
	put_attribute(page, 5, 197, 1);
	put_attribute(page, 6, 198, 0);
	put_attribute(page, 7, 199, 6);
	put_attribute(page, 29, 240, 0xffffffffffff);
}

static double number(const struct smart *s, const char *key)
{
	struct json *j = smart_json(s);
	double value = json_get_number(j, key);

	json_free(j);
	return value;
}

START_TEST(nvme)
{
	static const struct {
		const char *key;
		double value;
	} all[] = {
		{ "critical_warning", 0 },
		{ "temperature_c", 49.85 },
		{ "spare_pct", 100 },
		{ "used_pct", 3 },
		{ "read_bytes", 512e6 },
		{ "written_bytes", 1024e6 },
		{ "power_cycles", 41 },
		{ "power_on_hours", 8760 },
		{ "unsafe_shutdowns", 5 },
		{ "media_errors", 2 },
		{ "error_log_entries", 9 },
		{ "warning_temp_minutes", 11 },
		{ "critical_temp_minutes", 12 },
		{ "thm_temp1_trans_count", 7 },
		{ "thm_temp2_trans_count", 8 },
		{ "thm_temp1_total_s", 70 },
		{ "thm_temp2_total_s", 80 },
	};
	uint8_t page[SMART_PAGE];
	struct smart s;

	nvme_page(page);
	ck_assert(smart_parse(&s, SMART_NVME, page));
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		ck_assert_msg(fabs(number(&s, all[i].key) - all[i].value) <
				      1e-6,
			      "%s", all[i].key);
	ck_assert_double_eq(smart_temperature(&s), number(&s, "temperature_c"));
	ck_assert_double_nan(number(&s, "reallocated_sectors"));
	ck_assert_uint_eq(s.n_attributes, 0);

	/* 128 bits; no temperature. */
	memset(page + 32, 0xff, 16);
	put(page, 1, 2, 0);
	ck_assert(smart_parse(&s, SMART_NVME, page));
	ck_assert_double_gt(number(&s, "read_bytes"), 1.7e44);
	ck_assert_double_nan(smart_temperature(&s));
}
END_TEST

START_TEST(ata)
{
	uint8_t page[SMART_PAGE];
	struct smart s;

	ata_page(page);
	ck_assert(smart_parse(&s, SMART_ATA, page));
	ck_assert_double_eq(number(&s, "reallocated_sectors"), 3);
	ck_assert_double_eq(number(&s, "power_on_hours"), 20000);
	ck_assert_double_eq(number(&s, "temperature_c"), 36);
	ck_assert_double_eq(number(&s, "pending_sectors"), 1);
	ck_assert_double_eq(number(&s, "offline_uncorrectable"), 0);
	ck_assert_double_eq(number(&s, "crc_errors"), 6);
	ck_assert_double_nan(number(&s, "reported_uncorrectable"));
	ck_assert_double_nan(number(&s, "media_errors"));
	ck_assert_uint_eq(s.n_attributes, 8);
	ck_assert_uint_eq(s.attribute[7].id, 240);
	ck_assert(s.attribute[7].raw == 0xffffffffffff);

	/* Only the temperature of the air flow, below 0. */
	put_attribute(page, 3, 0, 0);
	put_attribute(page, 4, 190, 0xfb);
	ck_assert(smart_parse(&s, SMART_ATA, page));
	ck_assert_double_eq(smart_temperature(&s), -5);
}
END_TEST

START_TEST(not_valid)
{
	uint8_t page[SMART_PAGE] = { 0 };
	struct smart s;

	ck_assert(!smart_parse(&s, SMART_NVME, page));
	ck_assert(!smart_parse(&s, SMART_ATA, page));
	memset(page, 0xff, sizeof(page));
	ck_assert(!smart_parse(&s, SMART_NVME, page));
	ata_page(page);
	page[100]++;
	ck_assert(!smart_parse(&s, SMART_ATA, page));
	nvme_page(page);
	ck_assert(!smart_parse(&s, SMART_SCSI, page));
	ck_assert(!smart_parse(&s, SMART_NONE, page));
	ck_assert_double_nan(smart_temperature(&s));
}
END_TEST

/* Compare the page with the same one after a change of one number. */
static enum smart_change change(enum smart_interface interface, size_t at,
				size_t bytes, uint64_t value, char words[200])
{
	uint8_t page[SMART_PAGE];
	struct smart before, after;

	(interface == SMART_ATA ? ata_page : nvme_page)(page);
	ck_assert(smart_parse(&before, interface, page));
	put(page, at, bytes, value);
	if (interface == SMART_ATA)
		put_sum(page);
	ck_assert(smart_parse(&after, interface, page));
	*words = '\0';
	return smart_compare(&before, &after, words, 200);
}

START_TEST(changes)
{
	char words[200];

	/* A counter that each run changes is no finding. */
	ck_assert_int_eq(change(SMART_NVME, 1, 2, 350, words), SMART_CALM);
	ck_assert_int_eq(change(SMART_NVME, 48, 8, 99999, words), SMART_CALM);
	ck_assert_int_eq(change(SMART_NVME, 144, 8, 6, words), SMART_CALM);
	ck_assert_str_eq(words, "");
	ck_assert_int_eq(change(SMART_NVME, 216, 4, 9, words), SMART_NOTED);
	ck_assert_str_eq(words, "thm_temp1_trans_count rose by 2 to 9");
	ck_assert_int_eq(change(SMART_NVME, 220, 4, 9, words), SMART_NOTED);
	ck_assert_int_eq(change(SMART_NVME, 192, 4, 12, words), SMART_NOTED);
	ck_assert_str_eq(words, "warning_temp_minutes rose by 1 to 12");
	ck_assert_int_eq(change(SMART_NVME, 160, 8, 3, words), SMART_ERROR);
	ck_assert_str_eq(words, "media_errors rose by 1 to 3");
	/* A counter that the firmware began anew. */
	ck_assert_int_eq(change(SMART_NVME, 160, 8, 0, words), SMART_CALM);

	ck_assert_int_eq(change(SMART_NVME, 0, 1, 2, words), SMART_NOTED);
	ck_assert_str_eq(words, "it warns of its temperature");
	ck_assert_int_eq(change(SMART_NVME, 0, 1, 0x09, words), SMART_ERROR);
	ck_assert_str_eq(words, "it warns of little spare capacity, it warns of "
				"read-only media");
	ck_assert_int_eq(change(SMART_NVME, 0, 1, 0xc0, words), SMART_CALM);

	ck_assert_int_eq(change(SMART_ATA, 2 + 12 * 0 + 5, 2, 4, words),
			 SMART_ERROR);
	ck_assert_str_eq(words, "reallocated_sectors rose by 1 to 4");
	ck_assert_int_eq(change(SMART_ATA, 2 + 12 * 5 + 5, 2, 9, words),
			 SMART_ERROR);
	ck_assert_int_eq(change(SMART_ATA, 2 + 12 * 7 + 5, 2, 7, words),
			 SMART_ERROR);
	ck_assert_str_eq(words, "crc_errors rose by 1 to 7");
	ck_assert_int_eq(change(SMART_ATA, 2 + 12 * 29 + 5, 2, 1, words),
			 SMART_CALM);
}
END_TEST

START_TEST(old_warning)
{
	uint8_t page[SMART_PAGE];
	char words[60] = "";
	struct smart s;

	nvme_page(page);
	put(page, 0, 1, 4);
	ck_assert(smart_parse(&s, SMART_NVME, page));
	ck_assert_int_eq(smart_compare(&s, &s, words, sizeof(words)),
			 SMART_NOTED);
	ck_assert_str_eq(words, "it warns of degraded reliability, as before "
				"the run");
	/* Words that do not fit are cut. */
	*words = '\0';
	ck_assert_int_eq(smart_compare(&s, &s, words, 10), SMART_NOTED);
	ck_assert_str_eq(words, "it warns ");
	ck_assert_int_eq(smart_compare(&s, &s, words, 5), SMART_NOTED);
	ck_assert_str_eq(words, "it warns ");
}
END_TEST

/* --- which disks --- */

static struct fixture f;

/* A block device: its number and its folder below sys/block. */
static void put_device(const char *number, const char *folder)
{
	const char *name = strrchr(folder, '/') ? strrchr(folder, '/') + 1
						: folder;
	char path[200], to[200];

	snprintf(path, sizeof(path), "sys/block/%s/dev", folder);
	fixture_put(&f, path, "%s\n", number);
	if (strchr(folder, '/')) {
		snprintf(path, sizeof(path), "sys/block/%s/partition", folder);
		fixture_put(&f, path, "1\n");
	}
	snprintf(to, sizeof(to), "../../block/%s", folder);
	snprintf(path, sizeof(path), "sys/dev/block/%s", number);
	ck_assert(!symlinkat(to, f.root.fd, path));
	snprintf(path, sizeof(path), "sys/class/block/%s", name);
	ck_assert(!symlinkat(to, f.root.fd, path));
}

static void begin(void)
{
	fixture_make(&f, NULL);
	fixture_put(&f, "sys/dev/block/none", "%s", "");
	fixture_put(&f, "sys/class/block/none", "%s", "");
	put_device("8:0", "sda");
	put_device("8:1", "sda/sda1");
	put_device("8:16", "sdb");
	put_device("8:17", "sdb/sdb1");
	put_device("8:32", "sdc");
	put_device("252:0", "vda");
	put_device("259:0", "nvme0n1");
	put_device("259:1", "nvme0n1/nvme0n1p1");
	put_device("253:7", "dm-7");
	fixture_put(&f, "sys/block/dm-7/slaves/sda1", "%s", "");
	fixture_put(&f, "sys/block/dm-7/slaves/nvme0n1p1", "%s", "");
	fixture_put(&f, "sys/block/sda/device/vendor", "ATA     \n");
	fixture_put(&f, "sys/block/sdb/device/vendor", "SEAGATE \n");
	fixture_put(&f, "sys/block/sdc/device/vendor", "ATA     \n");
	/* A btrfs on two partitions, with a number of its own. */
	fixture_put(&f, "sys/fs/btrfs/0f3c/label", "pool\n");
	fixture_put(&f, "sys/fs/btrfs/0f3c/devices/sdb1", "%s", "");
	fixture_put(&f, "sys/fs/btrfs/0f3c/devices/sdc", "%s", "");
	fixture_put(&f, "proc/self/mountinfo",
		    "30 1 0:42 / /pool rw - btrfs /dev/sdb1 rw\n"
		    "31 1 0:43 / /tmp rw - tmpfs tmpfs rw\n"
		    "32 1 0:44 / /srv rw - bcachefs /dev/sda1 rw\n");
}

static void end(void)
{
	fixture_free(&f);
}

/* "sda:ata sdb:scsi" */
static const char *list_of(const struct smart_reader *r)
{
	static const char *const names[] = { "none", "nvme", "ata", "scsi" };
	static char list[200];

	*list = '\0';
	for (size_t i = 0; i < r->n; i++) {
		strcat(list, i ? " " : "");
		strcat(list, r->disk[i].name);
		strcat(list, ":");
		strcat(list, names[r->disk[i].interface]);
	}
	return list;
}

static const char *disks_of(dev_t dev)
{
	struct smart_reader r;

	smart_reader_init(&r);
	smart_reader_add(&r, &f.root, dev);
	smart_reader_add(&r, &f.root, dev); /* no disk twice */
	return list_of(&r);
}

static const char *disks_of_path(const char *path)
{
	struct smart_reader r;

	smart_reader_init(&r);
	smart_reader_add_path(&r, &f.root, path);
	return list_of(&r);
}

START_TEST(traced_to_disks)
{
	ck_assert_str_eq(disks_of(makedev(8, 1)), "sda:ata");
	ck_assert_str_eq(disks_of(makedev(8, 16)), "sdb:scsi");
	ck_assert_str_eq(disks_of(makedev(252, 0)), "vda:none");
	ck_assert_str_eq(disks_of(makedev(259, 1)), "nvme0n1:nvme");
	ck_assert_str_eq(disks_of(makedev(253, 7)), "nvme0n1:nvme sda:ata");
	ck_assert_str_eq(disks_of(makedev(99, 9)), "");
	ck_assert_str_eq(disks_of_path("/pool/a/b"), "sdb:scsi sdc:ata");
	ck_assert_str_eq(disks_of_path("/srv/b"), "sda:ata");
	ck_assert_str_eq(disks_of_path("/tmp/b"), "");
	ck_assert_str_eq(disks_of_path("/elsewhere"), "");
}
END_TEST

/* A loop device that is built on itself ends, too. */
START_TEST(rings_end)
{
	fixture_put(&f, "sys/block/dm-7/slaves/dm-7", "%s", "");
	ck_assert_str_eq(disks_of(makedev(253, 7)), "nvme0n1:nvme sda:ata");
}
END_TEST

/* On this machine: the disk of a file, and of a loop device over it. */
START_TEST(loop_of_this_machine)
{
	struct smart_reader of_file, of_loop;
	char *dir = make_dir(), path[200], name[64];
	struct mounts *mounts;
	struct stat loop;
	struct root root;

	snprintf(path, sizeof(path), "%s/file", dir);
	make_file(path, 1 << 20, 1);
	ck_assert(!root_open(&root, NULL));
	if (loop_attach(path, false, name, sizeof(name))) {
		ck_assert(!stat(name, &loop));
		smart_reader_init(&of_file);
		smart_reader_init(&of_loop);
		smart_reader_add_path(&of_file, &root, path);
		strcat(path, ".new/file"); /* to be made */
		smart_reader_add_path(&of_file, &root, path);
		smart_reader_add(&of_loop, &root, loop.st_rdev);
		loop_detach(name);
		ck_assert_uint_eq(of_loop.n, of_file.n);
		/* In a chroot the list of mounts may not have that of the file. */
		mounts = mounts_read(&root);
		if (of_file.n && mounts_of_path(mounts, path))
			ck_assert_str_eq(of_loop.disk[0].name,
					 of_file.disk[0].name);
		mounts_free(mounts);
	}
	root_close(&root);
	remove_dir(dir);
}
END_TEST

/* --- answers --- */

static struct smart_reader reader;
static int peer;

static void begin_reader(void)
{
	int pair[2];

	smart_reader_init(&reader);
	reader.n = 3;
	reader.disk[0].interface = SMART_NVME;
	reader.disk[1].interface = SMART_NONE;
	reader.disk[2].interface = SMART_ATA;
	ck_assert(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	reader.socket = pair[0];
	peer = pair[1];
}

static void end_reader(void)
{
	smart_reader_stop(&reader);
	close(peer);
}

/* The disk's answer to the order. */
static void send_answer(unsigned disk, int error)
{
	struct smart_answer a = { .disk = disk, .error = error };

	(reader.disk[disk % 3].interface == SMART_ATA ? ata_page
						      : nvme_page)(a.page);
	ck_assert(send(peer, &a, sizeof(a), 0) == sizeof(a));
}

START_TEST(answers)
{
	char order;

	ck_assert(smart_reader_ask(&reader, 0));
	ck_assert_int_eq(recv(peer, &order, 1, MSG_DONTWAIT), 1);
	ck_assert(smart_reader_poll(&reader));
	send_answer(0, 0);
	ck_assert(smart_reader_poll(&reader));
	ck_assert(reader.disk[0].has[0] && !reader.disk[0].has[1]);
	send_answer(2, EPERM);
	ck_assert(!smart_reader_poll(&reader));
	ck_assert(!reader.disk[2].has[0]);
	ck_assert_int_eq(reader.disk[2].error, EPERM);

	ck_assert(smart_reader_ask(&reader, 1));
	send_answer(0, 0);
	send_answer(2, 0);
	ck_assert(!smart_reader_poll(&reader));
	ck_assert(reader.disk[0].has[0] && reader.disk[0].has[1]);
	ck_assert(!reader.disk[2].has[0] && reader.disk[2].has[1]);

	/* The next run forgets both. */
	ck_assert(smart_reader_ask(&reader, 0));
	ck_assert(!reader.disk[0].has[0] && !reader.disk[2].has[1]);
}
END_TEST

/* A reading that comes after the run is not that of the next one. */
START_TEST(late_answers)
{
	ck_assert(smart_reader_ask(&reader, 0));
	send_answer(0, 0);
	ck_assert(smart_reader_poll(&reader));
	smart_reader_give_up(&reader);
	ck_assert(reader.disk[0].has[0]);
	ck_assert_int_eq(reader.disk[2].error, ETIMEDOUT);
	ck_assert(!smart_reader_ask(&reader, 1));
	ck_assert_int_eq(reader.disk[2].error, ETIMEDOUT);
	send_answer(2, 0);
	ck_assert(smart_reader_ask(&reader, 0));
	ck_assert(!reader.disk[2].has[0]);
	ck_assert_int_eq(reader.disk[2].error, EINPROGRESS);
	send_answer(0, 0);
	send_answer(2, 0);
	ck_assert(!smart_reader_poll(&reader));
	ck_assert(reader.disk[2].has[0]);
}
END_TEST

START_TEST(process_has_ended)
{
	ck_assert(smart_reader_ask(&reader, 0));
	close(peer);
	peer = -1;
	ck_assert(!smart_reader_poll(&reader));
	ck_assert_int_eq(reader.disk[0].error, ESRCH);
	ck_assert_int_eq(reader.socket, -1);
	ck_assert(!smart_reader_ask(&reader, 0));
	ck_assert_int_eq(reader.disk[0].error, ESRCH);
}
END_TEST

START_TEST(process_has_ended_before)
{
	close(peer);
	peer = -1;
	ck_assert(!smart_reader_ask(&reader, 0));
	ck_assert_int_eq(reader.disk[2].error, ESRCH);
	ck_assert_int_eq(reader.socket, -1);
}
END_TEST

/* An answer about a disk that is not there, and one that is no page. */
START_TEST(wrong_answers)
{
	const struct smart_answer empty = { .disk = 0 };

	ck_assert(smart_reader_ask(&reader, 0));
	send_answer(16, 0);
	ck_assert(send(peer, &empty, sizeof(empty), 0) == sizeof(empty));
	ck_assert(!smart_reader_poll(&reader));
	ck_assert_int_eq(reader.disk[0].error, EBADMSG);
	ck_assert(!reader.disk[0].has[0]);
}
END_TEST

/* The real process: a device that is not the one of that number. */
START_TEST(real_process)
{
	struct smart_reader r;

	smart_reader_init(&r);
	ck_assert_int_eq(smart_reader_start(&r), 0);
	ck_assert_int_eq(r.socket, -1); /* no disk, no process */
	r.n = 1;
	strcpy(r.disk[0].name, "null");
	r.disk[0].interface = SMART_NVME;
	ck_assert_int_eq(smart_reader_start(&r), 0);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert(smart_reader_ask(&r, i));
		ck_assert(test_within(60, !smart_reader_poll(&r)));
		ck_assert_int_eq(r.disk[0].error, ENODEV);
	}
	smart_reader_stop(&r);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("pages");

	tcase_add_test(t, nvme);
	tcase_add_test(t, ata);
	tcase_add_test(t, not_valid);
	tcase_add_test(t, changes);
	tcase_add_test(t, old_warning);
	suite_add_tcase(suite, t);
	t = tcase_create("disks");
	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, traced_to_disks);
	tcase_add_test(t, rings_end);
	tcase_add_test(t, loop_of_this_machine);
	suite_add_tcase(suite, t);
	t = tcase_create("answers");
	tcase_add_checked_fixture(t, begin_reader, end_reader);
	tcase_add_test(t, answers);
	tcase_add_test(t, late_answers);
	tcase_add_test(t, process_has_ended);
	tcase_add_test(t, process_has_ended_before);
	tcase_add_test(t, wrong_answers);
	tcase_add_test(t, real_process);
	suite_add_tcase(suite, t);
}
