package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class HostAddressTest {
  @Test
  void theConfiguredHostIsListenedOnAndAnnounced() throws UnknownHostException {
    HostAddress address = HostAddress.choose("127.0.0.1", "10.1.1.1");
    assertThat(address.announced()).isEqualTo("127.0.0.1");
    assertThat(address.listenOn(17).getAddress().getHostAddress()).isEqualTo("127.0.0.1");
    assertThat(address.listenOn(17).getPort()).isEqualTo(17);
  }

  @Test
  void theEnvironmentsAddressIsAnnouncedAndEveryInterfaceListenedOn() throws UnknownHostException {
    HostAddress address = HostAddress.choose("", " 10.1.1.1 ");
    assertThat(address.announced()).isEqualTo("10.1.1.1");
    assertThat(address.listenOn(0).getAddress().isAnyLocalAddress()).isTrue();
  }

  @Test
  void announcesAnAddressOfThisMachineByDefault() throws UnknownHostException {
    HostAddress address = HostAddress.choose("", null);
    assertThat(InetAddress.getByName(address.announced()).isAnyLocalAddress()).isFalse();
    assertThat(address.listenOn(0).getAddress().isAnyLocalAddress()).isTrue();
  }

  @Test
  void aHostWithoutAnAddressIsRefused() {
    assertThatThrownBy(() -> HostAddress.choose("no such host", null).listenOn(0))
        .isInstanceOf(UnknownHostException.class);
  }
}
