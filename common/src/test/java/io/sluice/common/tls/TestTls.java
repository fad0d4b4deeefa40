package io.sluice.common.tls;

import io.sluice.common.tls.TlsConfig.ClientCertificates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** TLS of a test that calls processes, with files that {@link SelfSignedCertificate} wrote. */
public final class TestTls {
  private TestTls() {}

  /**
   * @param directory with the files
   * @param trusted whose certificate vouches for those that are called
   * @param own whose certificate the caller has, if it has any
   */
  public static TlsContexts caller(Path directory, String trusted, Optional<String> own)
      throws IOException {
    TlsConfig config =
        new TlsConfig(
            true,
            own.map(name -> directory.resolve(name + ".crt")),
            own.map(name -> directory.resolve(name + ".key")),
            Optional.of(directory.resolve(trusted + ".crt")),
            ClientCertificates.NONE,
            Optional.empty());
    return TlsContexts.of(config, false, System::nanoTime).orElseThrow();
  }
}
