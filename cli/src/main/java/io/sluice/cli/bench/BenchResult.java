package io.sluice.cli.bench;

import java.util.List;
import java.util.Map;

/**
 * Results of one run of a benchmark, without names of hosts, users and files.
 *
 * @param command name of the benchmark, such as {@code push}
 * @param options options of the command line, without those that name hosts or files
 * @param date day of the run, as in 2026-11-25
 * @param versions versions of Sluice and of the software below it
 * @param machine facts about the machine, such as its number of processors
 * @param notes remarks on the tables, one sentence each
 */
public record BenchResult(
    String command,
    Map<String, String> options,
    String date,
    Map<String, String> versions,
    Map<String, String> machine,
    List<BenchTable> tables,
    List<String> notes) {}
