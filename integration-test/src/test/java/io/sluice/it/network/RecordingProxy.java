package io.sluice.it.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A web proxy that counts connections and closes each without an answer. Thread-safe. */
final class RecordingProxy implements AutoCloseable {
  private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final AtomicInteger connections = new AtomicInteger();

  RecordingProxy() throws IOException {
    Thread acceptor = new Thread(this::accept, "recording-proxy");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  private void accept() {
    while (true) {
      try (Socket connection = socket.accept()) {
        connections.incrementAndGet();
      } catch (IOException closed) {
        return;
      }
    }
  }

  /** System properties of a JVM that sends every request, also to loopback, through this proxy. */
  List<String> properties() {
    String host = socket.getInetAddress().getHostAddress();
    String port = Integer.toString(socket.getLocalPort());
    return List.of(
        "http.proxyHost=" + host,
        "http.proxyPort=" + port,
        "https.proxyHost=" + host,
        "https.proxyPort=" + port,
        // Empty; Java adds loopback to any other value.
        "http.nonProxyHosts=");
  }

  int connections() {
    return connections.get();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
