package io.sluice.cli.control;

import io.sluice.common.config.HostPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options with the coordinators of the cluster. */
public final class QuorumOptions {

  @Option(
      names = "--coordinator",
      required = true,
      split = ",",
      paramLabel = "HOST:PORT",
      description =
          "Addresses of coordinators, comma-separated or repeated. Reads use the first one "
              + "that answers.")
  private List<HostPort> coordinators = new ArrayList<>();

  @Option(
      names = "--timeout",
      defaultValue = "10s",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description = "Timeout of one control call; default ${DEFAULT-VALUE}.")
  private long timeoutMs;

  /** Returns owned a channel to the first coordinator that answers. */
  public ControlChannel connect() throws IOException {
    return connect(ControlIdentity.ofEnvironment());
  }

  /** Returns owned a channel with another identity. */
  public ControlChannel connect(ControlIdentity identity) throws IOException {
    return ControlChannel.firstCoordinator(coordinators, timeoutMs, identity);
  }

  /** Addresses in the order of the option. */
  public List<HostPort> coordinators() {
    return List.copyOf(coordinators);
  }

  /** Addresses, comma-separated. */
  public String text() {
    return String.join(",", coordinators.stream().map(HostPort::toString).toList());
  }

  public long timeoutMs() {
    return timeoutMs;
  }
}
