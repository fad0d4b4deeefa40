package io.sluice.common.tls;

import io.netty.handler.ssl.OpenSslEngine;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * Key manager with a reloaded key: each handshake uses the current one. A handshake during a reload
 * may fail; the next one succeeds.
 */
final class ReloadedKeys extends X509ExtendedKeyManager {
  private static final String ALIAS = "sluice";

  private final Supplier<Pair> pair;

  /** A key and the chain of its certificate. */
  record Pair(PrivateKey key, List<X509Certificate> chain) {
    Pair {
      chain = List.copyOf(chain);
    }

    @Override
    public String toString() {
      return "key of " + chain.get(0).getSubjectX500Principal();
    }
  }

  ReloadedKeys(Supplier<Pair> pair) {
    this.pair = pair;
  }

  private String alias(String keyType) {
    // JSSE queries each key type that the peer accepts, in turn.
    String algorithm = pair.get().key().getAlgorithm();
    boolean same =
        keyType.equals(algorithm)
            || (keyType.startsWith("EC") && algorithm.equals("EC"))
            || (keyType.startsWith("Ed") && algorithm.startsWith("Ed"))
            || (keyType.startsWith("RSA") && algorithm.equals("RSA"));
    return same ? ALIAS : null;
  }

  @Override
  public String[] getClientAliases(String keyType, Principal[] issuers) {
    return aliases(keyType);
  }

  @Override
  public String[] getServerAliases(String keyType, Principal[] issuers) {
    return aliases(keyType);
  }

  private String[] aliases(String keyType) {
    String alias = alias(keyType);
    return alias == null ? null : new String[] {alias};
  }

  @Override
  public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
    return any(keyTypes);
  }

  @Override
  public String chooseEngineClientAlias(String[] keyTypes, Principal[] issuers, SSLEngine engine) {
    return any(keyTypes);
  }

  private String any(String[] keyTypes) {
    for (String keyType : keyTypes) {
      if (alias(keyType) != null) {
        return ALIAS;
      }
    }
    return null;
  }

  @Override
  public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
    return alias(keyType);
  }

  @Override
  public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
    // Netty queries only key types of TLS 1.2, without Ed25519; BoringSSL checks the key itself.
    return engine instanceof OpenSslEngine ? ALIAS : alias(keyType);
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return pair.get().chain().toArray(X509Certificate[]::new);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return pair.get().key();
  }
}
