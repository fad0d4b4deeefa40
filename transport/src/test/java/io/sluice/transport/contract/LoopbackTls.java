package io.sluice.transport.contract;

import io.sluice.common.tls.ClientTls;
import io.sluice.common.tls.TestCertificates;
import io.sluice.common.tls.TlsConfig;
import io.sluice.common.tls.TlsConfig.ClientCertificates;
import io.sluice.common.tls.TlsContexts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.SocketFactory;

/**
 * TLS of client and server on the loopback interface; may be off.
 *
 * @param sockets socket factory of a {@link RawPeer}
 */
record LoopbackTls(Optional<TlsContexts> server, ClientTls client, SocketFactory sockets) {
  static final LoopbackTls OFF =
      new LoopbackTls(Optional.empty(), ClientTls.OFF, SocketFactory.getDefault());

  /**
   * @param directory directory of the certificate
   */
  static LoopbackTls in(Path directory) throws IOException, InterruptedException {
    TestCertificates.write(directory, "server", "127.0.0.1");
    Path certificate = directory.resolve("server.crt");
    TlsConfig server =
        new TlsConfig(
            true,
            Optional.of(certificate),
            Optional.of(directory.resolve("server.key")),
            Optional.of(certificate),
            ClientCertificates.NONE,
            Optional.empty());
    TlsConfig client =
        new TlsConfig(
            true,
            Optional.empty(),
            Optional.empty(),
            Optional.of(certificate),
            ClientCertificates.NONE,
            Optional.empty());
    return new LoopbackTls(
        TlsContexts.of(server, true, System::nanoTime),
        ClientTls.of(client, System::nanoTime),
        TlsContexts.of(client, false, System::nanoTime).orElseThrow().https().getSocketFactory());
  }
}
