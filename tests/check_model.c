/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of src/model.
 */
#include "check_model.h"

int main(void)
{
	Suite *s = suite_create("model");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, device_case());
	suite_add_tcase(s, frame_case());
	suite_add_tcase(s, heat_case());
	suite_add_tcase(s, histogram_case());
	suite_add_tcase(s, history_case());
	suite_add_tcase(s, imbalance_case());
	suite_add_tcase(s, job_case());
	suite_add_tcase(s, values_case());
	suite_add_tcase(s, schema_case());
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
