package io.sluice.it.network;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Two hosts of a separate network: network namespaces of Linux, joined by a cable (veth), without
 * an address and without IPv4 loopback. They exist as long as the processes in them, and this
 * machine's own network does not change. Used by one thread.
 */
final class NamespaceNetwork implements AutoCloseable {
  private static final String CABLE = "cable";

  /** Prints a line in its namespace, and keeps the namespace until its input ends. */
  private static final List<String> KEEP = List.of("sh", "-c", "echo ready; exec cat");

  /** This machine does not permit network namespaces. */
  static final class UnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnavailableException(String reason) {
      super(reason);
    }
  }

  /** One host of the network. */
  final class Host {
    private final Process keeper;

    private Host(Process keeper) {
      this.keeper = keeper;
    }

    private List<String> enter() {
      return List.of(
          "nsenter",
          "--preserve-credentials",
          "--target",
          Long.toString(keeper.pid()),
          "--user",
          "--net");
    }

    /** Gives the host an address. */
    void address(String address) throws IOException, InterruptedException, UnavailableException {
      boolean ipv6 = address.contains(":");
      List<String> command =
          new ArrayList<>(List.of("ip", "address", "add", address, "dev", CABLE));
      if (ipv6) {
        // The address is valid at once, without detection of duplicates.
        command.add("nodad");
      }
      run(enter(), command.toArray(new String[0]));
    }

    /** Writes a program that runs Java on this host. */
    Path java(Path file) throws IOException {
      Files.writeString(
          file,
          "#!/bin/sh\nexec "
              + String.join(" ", enter())
              + " '"
              + SluiceProgram.java()
              + "' \"$@\"\n");
      return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }
  }

  private final Path log;
  private final List<Process> keepers = new ArrayList<>();
  private final Host first;
  private final Host second;

  /**
   * @param log file for the output of commands
   * @throws UnavailableException with the reason
   */
  NamespaceNetwork(Path log) throws IOException, InterruptedException, UnavailableException {
    this.log = log;
    try {
      first = new Host(keep(List.of("unshare", "--user", "--map-root-user", "--net")));
      List<String> sameUser =
          List.of(
              "nsenter",
              "--preserve-credentials",
              "--target",
              Long.toString(first.keeper.pid()),
              "--user",
              "unshare",
              "--net");
      second = new Host(keep(sameUser));
      run(
          first.enter(),
          "ip",
          "link",
          "add",
          CABLE,
          "type",
          "veth",
          "peer",
          "name",
          CABLE,
          "netns",
          Long.toString(second.keeper.pid()));
      for (Host host : List.of(first, second)) {
        run(host.enter(), "ip", "link", "set", "lo", "up");
        run(host.enter(), "ip", "address", "del", "127.0.0.1/8", "dev", "lo");
        run(host.enter(), "ip", "link", "set", CABLE, "up");
      }
    } catch (IOException | InterruptedException | UnavailableException e) {
      close();
      throw e;
    }
  }

  Host first() {
    return first;
  }

  Host second() {
    return second;
  }

  private Process keep(List<String> create)
      throws IOException, InterruptedException, UnavailableException {
    List<String> command = new ArrayList<>(create);
    command.addAll(KEEP);
    Process keeper = start(command);
    keepers.add(keeper);
    int ready = keeper.getInputStream().read();
    if (ready < 0) {
      keeper.waitFor();
      throw unavailable(command);
    }
    return keeper;
  }

  private void run(List<String> enter, String... arguments)
      throws IOException, InterruptedException, UnavailableException {
    List<String> command = new ArrayList<>(enter);
    command.addAll(Arrays.asList(arguments));
    Process process = start(command);
    process.getInputStream().readAllBytes();
    if (process.waitFor() != 0) {
      throw unavailable(List.of(arguments));
    }
  }

  private Process start(List<String> command) throws IOException, UnavailableException {
    try {
      return new ProcessBuilder(command)
          .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
          .start();
    } catch (IOException e) {
      throw new UnavailableException(e.getMessage());
    }
  }

  private UnavailableException unavailable(List<String> command) throws IOException {
    return new UnavailableException(
        "this machine does not permit network namespaces: "
            + String.join(" ", command)
            + ": "
            + Files.readString(log, StandardCharsets.UTF_8).strip());
  }

  @Override
  public void close() throws InterruptedException {
    for (Process keeper : keepers) {
      keeper.destroyForcibly().waitFor();
    }
  }
}
