/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door.
 */
int main(void)
{
	return 0;
}
