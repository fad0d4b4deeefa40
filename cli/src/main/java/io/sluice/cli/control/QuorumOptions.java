package io.sluice.cli.control;

import io.sluice.common.config.HostPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options by which a command finds the cluster. */
public final class QuorumOptions {

  @Option(
      names = "--coordinator",
      required = true,
      split = ",",
      paramLabel = "HOST:PORT",
      description = "Coordinators; any that answers is used. Comma-separated or repeated.")
  private List<HostPort> coordinators = new ArrayList<>();

  @Option(
      names = "--timeout",
      defaultValue = "10s",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description = "Patience with one control call; default ${DEFAULT-VALUE}.")
  private long timeoutMs;

  /** The first coordinator that answers. Returns owned. */
  public ControlChannel connect() throws IOException {
    return connect(ControlIdentity.ofEnvironment());
  }

  /** The same, as somebody. */
  public ControlChannel connect(ControlIdentity identity) throws IOException {
    return ControlChannel.firstCoordinator(coordinators, timeoutMs, identity);
  }

  /** In the order given. */
  public List<HostPort> coordinators() {
    return List.copyOf(coordinators);
  }

  /** As given, comma-separated. */
  public String text() {
    return String.join(",", coordinators.stream().map(HostPort::toString).toList());
  }

  public long timeoutMs() {
    return timeoutMs;
  }
}
