package io.sluice.localcluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Process of a container that runs a task or the application master of a MapReduce job.
 *
 * @param process the JVM
 * @param application such as {@code application_1700000000000_0001}
 * @param attempt of a task, such as {@code attempt_1700000000000_0001_m_000002_0}; empty for an
 *     application master
 * @param node number of its node manager, from 0
 */
public record YarnContainer(ProcessHandle process, String application, String attempt, int node) {
  private static final Pattern ATTEMPT = Pattern.compile("attempt_\\d+_\\d+_[mr]_\\d+_\\d+");
  private static final Pattern CONTAINER = Pattern.compile("container_(?:e\\d+_)?(\\d+_\\d+)_");
  private static final Pattern NODE = Pattern.compile("-logDir-nm-(\\d+)_");
  private static final String TASK = "org.apache.hadoop.mapred.YarnChild";
  private static final String MASTER = "MRAppMaster";

  public boolean isMaster() {
    return attempt.isEmpty();
  }

  static List<YarnContainer> among(Stream<ProcessHandle> processes) {
    List<YarnContainer> found = new ArrayList<>();
    for (ProcessHandle process : processes.toList()) {
      List<String> arguments = commandLine(process);
      // The shells that start a container have its whole command as one argument.
      if (arguments.isEmpty() || !arguments.get(0).endsWith("/java")) {
        continue;
      }
      boolean task = arguments.contains(TASK);
      boolean master = arguments.stream().anyMatch(argument -> argument.endsWith("." + MASTER));
      Matcher container = CONTAINER.matcher(String.join(" ", arguments));
      Matcher node = NODE.matcher(String.join(" ", arguments));
      if ((task || master) && container.find() && node.find()) {
        found.add(
            new YarnContainer(
                process,
                "application_" + container.group(1),
                task
                    ? arguments.stream().filter(ATTEMPT.asMatchPredicate()).findFirst().orElse("")
                    : "",
                Integer.parseInt(node.group(1))));
      }
    }
    return found;
  }

  /**
   * All processes of containers of the cluster in a directory, with their shells and their child
   * processes. Their command lines contain the log directory of the container.
   */
  static List<ProcessHandle> of(Path directory) {
    Pattern container =
        Pattern.compile(Pattern.quote(directory.toAbsolutePath().toString()) + "/\\S*/container_");
    List<ProcessHandle> found = new ArrayList<>();
    for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
      if (commandLine(process).stream().anyMatch(container.asPredicate())) {
        found.addAll(process.descendants().toList());
        found.add(process);
      }
    }
    return found;
  }

  /** Read from /proc, because {@link ProcessHandle} leaves out long command lines. */
  private static List<String> commandLine(ProcessHandle process) {
    try {
      String all =
          Files.readString(
              Path.of("/proc", Long.toString(process.pid()), "cmdline"),
              StandardCharsets.ISO_8859_1);
      return List.of(all.split("\0", -1));
    } catch (IOException e) {
      // The process has ended.
      return List.of();
    }
  }
}
