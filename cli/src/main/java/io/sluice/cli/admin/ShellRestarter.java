package io.sluice.cli.admin;

import io.sluice.proto.ServerId;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs an operator's restart command in a shell. The server is passed in environment variables, so
 * that its name is never part of the command line.
 */
final class ShellRestarter implements Restarter {
  static final String NAME_VARIABLE = "SLUICE_SERVER";
  static final String HOST_VARIABLE = "SLUICE_HOST";
  static final String PORT_VARIABLE = "SLUICE_PORT";

  /** Removed from the environment of the command. */
  private static final String SECRET_VARIABLE = "RSS_USER_SECRET";

  private static final long KILL_TIMEOUT_MS = 2_000;

  private final String command;
  private final long timeoutMs;

  ShellRestarter(String command, long timeoutMs) {
    this.command = command;
    this.timeoutMs = timeoutMs;
  }

  @Override
  public void restart(ServerId server) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).inheritIO();
    Map<String, String> environment = builder.environment();
    environment.remove(SECRET_VARIABLE);
    environment.put(NAME_VARIABLE, server.getName());
    environment.put(HOST_VARIABLE, server.getHost());
    environment.put(PORT_VARIABLE, Integer.toString(server.getRpcPort()));
    Process process = builder.start();
    try {
      if (!process.waitFor(timeoutMs, TimeUnit.MILLISECONDS)) {
        throw new IOException(
            "restart command was killed after " + timeoutMs + " ms (--restart-timeout)");
      }
    } finally {
      end(process);
    }
    if (process.exitValue() != 0) {
      throw new IOException("restart command failed with exit code " + process.exitValue());
    }
  }

  private static void end(Process process) throws InterruptedException {
    if (process.isAlive()) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor(KILL_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }
  }
}
