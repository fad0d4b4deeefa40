package io.sluice.common.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trust manager with reloaded authorities: each handshake uses the current ones. */
final class ReloadedTrust extends X509ExtendedTrustManager {
  private final Supplier<X509ExtendedTrustManager> current;

  ReloadedTrust(Supplier<X509ExtendedTrustManager> current) {
    this.current = current;
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    current.get().checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    current.get().checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    current.get().checkClientTrusted(chain, type, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    current.get().checkServerTrusted(chain, type, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    current.get().checkClientTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    current.get().checkServerTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return current.get().getAcceptedIssuers();
  }
}
