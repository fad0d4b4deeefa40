package io.sluice.localcluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * A process that starts like a coordinator or a server, and does nothing. The key {@code
 * fake.behaviour} selects a fault: exit at start ({@code ends}), never ready ({@code silent}),
 * SIGTERM ignored ({@code deaf}).
 */
public final class FakeNode {
  private FakeNode() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Map<String, String> configuration = new HashMap<>();
    for (String line : Files.readAllLines(Path.of(option(arguments, "--conf")))) {
      String[] parts = line.split(" ", 2);
      configuration.put(parts[0], parts[1]);
    }
    String behaviour = configuration.getOrDefault("fake.behaviour", "fine");
    if (behaviour.equals("ends")) {
      System.err.println("rss.storage.basePath names a disk that is full");
      System.exit(3);
    }
    Path stopped = Path.of("stopped");
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    if (behaviour.equals("deaf")) {
                      new CountDownLatch(1).await();
                    }
                    Files.writeString(stopped, "cleanly");
                  } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                }));
    try (ServerSocket socket = open(configuration, "rss.rpc.server.port");
        ServerSocket http = open(configuration, "rss.jetty.http.port")) {
      System.out.println(arguments[0] + " listens on " + socket.getLocalPort());
      if (!behaviour.equals("silent")) {
        Path ready = Path.of(option(arguments, "--ready-file"));
        Path unfinished = ready.resolveSibling("ready.tmp");
        Files.writeString(
            unfinished,
            "pid="
                + ProcessHandle.current().pid()
                + "\nrpc.port="
                + socket.getLocalPort()
                + "\nhttp.port="
                + http.getLocalPort()
                + "\n");
        Files.move(unfinished, ready, StandardCopyOption.ATOMIC_MOVE);
      }
      new CountDownLatch(1).await();
    }
  }

  private static ServerSocket open(Map<String, String> configuration, String key)
      throws IOException {
    ServerSocket socket = new ServerSocket();
    socket.setReuseAddress(true);
    socket.bind(
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), Integer.parseInt(configuration.get(key))));
    return socket;
  }

  private static String option(String[] arguments, String name) {
    return arguments[List.of(arguments).indexOf(name) + 1];
  }
}
