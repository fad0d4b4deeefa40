package io.sluice.common.net;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Loopback addresses that this machine may not have. */
public final class Loopback {
  private Loopback() {}

  /** Skips a test if no process can listen on an address. */
  public static void assumeHas(String address) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
    } catch (IOException e) {
      assumeTrue(false, "this machine cannot listen on " + address + ": " + e.getMessage());
    }
  }
}
