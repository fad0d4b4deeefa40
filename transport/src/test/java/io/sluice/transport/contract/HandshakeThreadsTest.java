package io.sluice.transport.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.net.IoMode;
import io.sluice.common.tls.TestCertificates;
import io.sluice.common.tls.TestTls;
import io.sluice.common.tls.TlsConfig;
import io.sluice.common.tls.TlsConfig.ClientCertificates;
import io.sluice.common.tls.TlsContexts;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.server.DataTransportConfig;
import io.sluice.transport.server.NettyDataServer;
import io.sluice.transport.server.NettyServerConfig;
import io.sluice.transport.server.TransportCounters;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class HandshakeThreadsTest {
  private static final int SLAB = 64 << 10;

  @TempDir Path directory;

  @Test
  void handshakesOfDataConnectionsHaveSeparateThreads() throws Exception {
    TestCertificates.write(directory, "sluice", "127.0.0.1");
    Set<String> keyReaders = ConcurrentHashMap.newKeySet();
    TlsContexts tls =
        TlsContexts.of(
                new TlsConfig(
                    true,
                    Optional.of(directory.resolve("sluice.crt")),
                    Optional.of(directory.resolve("sluice.key")),
                    Optional.empty(),
                    ClientCertificates.NONE,
                    Optional.empty()),
                true,
                () -> {
                  // Called to read the keys in each handshake.
                  keyReaders.add(Thread.currentThread().getName());
                  return System.nanoTime();
                })
            .orElseThrow();
    keyReaders.clear();
    try (FakeDataService service =
            new FakeDataService(new FakeMemory(SLAB, 16), FrameLimits.DEFAULT, directory);
        NettyDataServer server =
            new NettyDataServer(
                service,
                new NettyServerConfig("127.0.0.1", 0, IoMode.NIO, 1, DataTransportConfig.DEFAULT),
                Optional.of(tls.dataServer()),
                new TransportCounters(),
                System::nanoTime)) {
      server.start();
      try (SSLSocket socket =
          (SSLSocket)
              TestTls.caller(directory, "sluice", Optional.empty())
                  .https()
                  .getSocketFactory()
                  .createSocket("127.0.0.1", server.port())) {
        socket.startHandshake();
      }
    }

    assertThat(keyReaders).isNotEmpty().allMatch(name -> name.startsWith("sluice-data-tls-"));
  }
}
