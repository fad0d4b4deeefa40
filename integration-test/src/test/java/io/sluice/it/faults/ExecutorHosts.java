package io.sluice.it.faults;

import io.sluice.it.spark.SparkApplication;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Lets executors with odd ids resolve a server to another address than all other processes. The
 * server announces {@link #NAME}, which each executor resolves with its own Java hosts file. So a
 * {@link Link} at the other address is only between these executors and that server.
 *
 * @param directory directory of the hosts files
 */
record ExecutorHosts(Path directory) {
  /** Host name that resolves to this machine without a hosts file. */
  static final String NAME = "localhost";

  static final String OTHER_ADDRESS = "127.0.0.2";

  /** Upper bound for the executors of one application, including replacements of lost ones. */
  private static final int EXECUTORS = 64;

  static ExecutorHosts write(Path directory) throws IOException {
    Files.createDirectories(directory);
    for (int executor = 0; executor < EXECUTORS; executor++) {
      String address = executor % 2 == 0 ? "127.0.0.1" : OTHER_ADDRESS;
      // With a hosts file Java uses no other resolver, so it must also contain the local host.
      Files.writeString(
          directory.resolve("hosts-" + executor),
          address + " " + NAME + "\n127.0.0.1 " + InetAddress.getLocalHost().getHostName() + "\n");
    }
    return new ExecutorHosts(directory);
  }

  SparkApplication configure(SparkApplication application) {
    return application
        // Otherwise run files of a server on the same host would be read directly, not over the
        // link.
        .set("spark.rss.client.read.shortcircuit.enabled", "false")
        .executorOptions("-Djdk.net.hosts.file=" + directory.resolve("hosts-") + "{{EXECUTOR_ID}}");
  }
}
