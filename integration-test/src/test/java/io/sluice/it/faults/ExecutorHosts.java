package io.sluice.it.faults;

import io.sluice.it.spark.SparkApplication;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes executors with odd ids find a server by another address than everybody else does: the
 * server announces {@link #NAME}, and Java's own file of hosts says what that is, one file for each
 * executor. So a {@link Link} at the other address is between those executors and that server only.
 *
 * @param directory of the files
 */
record ExecutorHosts(Path directory) {
  /** Means this machine to everybody who was not told otherwise. */
  static final String NAME = "localhost";

  static final String OTHER_ADDRESS = "127.0.0.2";

  /** More than one application ever starts, those that replace lost ones included. */
  private static final int EXECUTORS = 64;

  static ExecutorHosts write(Path directory) throws IOException {
    Files.createDirectories(directory);
    for (int executor = 0; executor < EXECUTORS; executor++) {
      String address = executor % 2 == 0 ? "127.0.0.1" : OTHER_ADDRESS;
      // With such a file Java asks nobody else, so its own host must be there too.
      Files.writeString(
          directory.resolve("hosts-" + executor),
          address + " " + NAME + "\n127.0.0.1 " + InetAddress.getLocalHost().getHostName() + "\n");
    }
    return new ExecutorHosts(directory);
  }

  SparkApplication configure(SparkApplication application) {
    return application
        // Files of a server on the same host would be read past the link.
        .set("spark.rss.client.read.shortcircuit.enabled", "false")
        .executorOptions("-Djdk.net.hosts.file=" + directory.resolve("hosts-") + "{{EXECUTOR_ID}}");
  }
}
