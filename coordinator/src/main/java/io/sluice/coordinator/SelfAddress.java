package io.sluice.coordinator;

import io.sluice.common.config.HostPort;
import io.sluice.coordinator.raft.GroupConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/** Finds the address of this coordinator among those of all coordinators. */
final class SelfAddress {
  private SelfAddress() {}

  /**
   * Returns the configured address, or the only one with this port on an interface of this host.
   *
   * @throws IOException if there is none or more than one; the message is one line
   */
  static HostPort find(GroupConfig group, int rpcPort) throws IOException {
    List<HostPort> found =
        group.self().isPresent()
            ? group.coordinators().stream().filter(group.self().get()::equals).toList()
            : group.coordinators().stream()
                .filter(address -> address.port() == rpcPort && isHere(address.host()))
                .toList();
    if (found.size() != 1) {
      throw new IOException(
          GroupConfig.COORDINATORS.name()
              + ": expected one address of this coordinator, found "
              + found
              + ": set "
              + GroupConfig.SELF.name()
              + " to its address in the list, host:port");
    }
    return found.get(0);
  }

  private static boolean isHere(String host) {
    try {
      return Arrays.stream(InetAddress.getAllByName(host)).anyMatch(SelfAddress::isHere);
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static boolean isHere(InetAddress address) {
    try {
      return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return false;
    }
  }
}
