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
 * Key manager with a reloaded key: each handshake uses the current one. A handshake chooses an
 * alias first, and requests certificate and key of this alias later. The alias names the pair, so
 * that both belong together also if the files change in between. Thread-safe.
 */
final class ReloadedKeys extends X509ExtendedKeyManager {
  private final Supplier<Pair> pair;
  private volatile Used used;

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

  /**
   * The pairs that handshakes use.
   *
   * @param number number of the newest pair, which is part of its alias
   * @param replaced the pair before it; null until the files change
   */
  private record Used(int number, Pair newest, Pair replaced) {
    String alias() {
      return alias(number);
    }

    static String alias(int number) {
      return "sluice-" + number;
    }

    Pair of(String alias) {
      return replaced != null && alias.equals(alias(number - 1)) ? replaced : newest;
    }
  }

  ReloadedKeys(Supplier<Pair> pair) {
    this.pair = pair;
    this.used = new Used(0, pair.get(), null);
  }

  @SuppressWarnings("ReferenceEquality") // Identical objects until a file is reloaded.
  private synchronized Used current() {
    Pair now = pair.get();
    if (used.newest() != now) {
      used = new Used(used.number() + 1, now, used.newest());
    }
    return used;
  }

  /** The current certificate, and those of its issuers. */
  List<X509Certificate> chain() {
    return current().newest().chain();
  }

  private String alias(String keyType) {
    // JSSE queries each key type that the peer accepts, in turn.
    Used current = current();
    String algorithm = current.newest().key().getAlgorithm();
    boolean same =
        keyType.equals(algorithm)
            || (keyType.startsWith("EC") && algorithm.equals("EC"))
            || (keyType.startsWith("Ed") && algorithm.startsWith("Ed"))
            || (keyType.startsWith("RSA") && algorithm.equals("RSA"));
    return same ? current.alias() : null;
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
      String alias = alias(keyType);
      if (alias != null) {
        return alias;
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
    return engine instanceof OpenSslEngine ? current().alias() : alias(keyType);
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return used.of(alias).chain().toArray(X509Certificate[]::new);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return used.of(alias).key();
  }
}
