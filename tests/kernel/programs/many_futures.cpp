/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * many_futures - two threads for each batch, in code of which most is templates that are inlined.
 * It runs without end. The name of a lambda's body, operator(), is that of many functions.
 */
#include <algorithm>
#include <cstdint>
#include <future>
#include <map>
#include <random>
#include <unordered_map>
#include <vector>

struct row {
	std::uint32_t key, id;
	double weight;
};

static double sorted_sum(std::vector<row> rows)
{
	double sum = 0;

	std::sort(rows.begin(), rows.end(), [](const row &a, const row &b) {
		return a.key != b.key ? a.key < b.key : a.id < b.id;
	});
	for (const row &one : rows)
		sum = sum / 2 + one.weight;
	return sum;
}

static double hashed_sum(const std::vector<row> &rows)
{
	std::unordered_map<std::uint32_t, double> sums;
	double sum = 0;

	for (const row &one : rows)
		sums[one.key & 4095] += one.weight;
	for (const auto &one : sums)
		sum += one.second;
	return sum;
}

static double merged_sum(const std::vector<row> &rows)
{
	std::map<std::uint32_t, double> sums;
	double sum = 0;

	for (std::size_t i = 0; i < rows.size() / 8; i++)
		sums[rows[i].key & 1023] += rows[i].weight;
	for (const auto &one : sums)
		sum += one.second;
	return sum;
}

extern "C" __attribute__((noinline)) void unit_is_done(double sum)
{
	asm volatile("" : : "x"(sum));
}

int main()
{
	std::mt19937 numbers(3);
	std::vector<row> rows(20000);

	for (row &one : rows)
		one = {std::uint32_t(numbers()), std::uint32_t(numbers()), double(numbers() & 1023)};
	for (;;) {
		auto sorted = std::async(std::launch::async, [&] { return sorted_sum(rows); });
		auto hashed = std::async(std::launch::async, [&] { return hashed_sum(rows); });
		unit_is_done(sorted.get() + hashed.get() + merged_sum(rows));
	}
}
