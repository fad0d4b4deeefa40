package io.sluice.common.tls;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.sluice.common.file.WatchedFile;
import io.sluice.common.tls.ReloadedKeys.Pair;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS contexts of every transport, for one configuration. The contexts are created once; their key
 * and trust managers reload changed files.
 */
public final class TlsContexts {
  private static final Logger LOG = LoggerFactory.getLogger(TlsContexts.class);

  private static final String VERSION = "TLSv1.3";

  private final TlsConfig config;
  private final ReloadedKeys keys;
  private final ReloadedTrust trust;
  private final SslProvider ofServers;
  private final SslProvider ofClients;

  private TlsContexts(
      TlsConfig config, ReloadedKeys keys, ReloadedTrust trust, SslProvider fastest) {
    this.config = config;
    this.keys = keys;
    this.trust = trust;
    ofServers = fastest;
    ofClients = usesEd25519(keys, trust) ? SslProvider.JDK : fastest;
  }

  /** BoringSSL verifies no signatures of Ed25519 keys, neither as a client nor as a server. */
  private static boolean usesEd25519(ReloadedKeys keys, ReloadedTrust trust) {
    return Stream.concat(
            keys == null ? Stream.empty() : keys.chain().stream(),
            Stream.of(trust.getAcceptedIssuers()))
        .anyMatch(certificate -> certificate.getPublicKey().getAlgorithm().startsWith("Ed"));
  }

  /**
   * Reads the files.
   *
   * @return empty if TLS is off
   * @throws IOException with a one-line message: key, file and problem
   */
  public static Optional<TlsContexts> of(TlsConfig config, boolean isServer, LongSupplier nanoTime)
      throws IOException {
    if (!config.enabled()) {
      return Optional.empty();
    }
    SslProvider fastest =
        SslProvider.isTlsv13Supported(SslProvider.OPENSSL) ? SslProvider.OPENSSL : SslProvider.JDK;
    TlsContexts contexts = of(config, isServer, nanoTime, fastest);
    SslProvider used = isServer ? contexts.ofServers : contexts.ofClients;
    String library = used == SslProvider.OPENSSL ? OpenSsl.versionString() : "JDK";
    if (isServer) {
      LOG.info("TLS library={}", library);
    } else {
      LOG.debug("TLS library={}", library);
    }
    return Optional.of(contexts);
  }

  /**
   * Reads the files.
   *
   * @param fastest provider of framed and gRPC connections with certificates that it accepts; HTTP
   *     uses the JDK's
   */
  static TlsContexts of(
      TlsConfig config, boolean isServer, LongSupplier nanoTime, SslProvider fastest)
      throws IOException {
    if (config.certificateFile().isPresent() != config.keyFile().isPresent()) {
      throw new IOException(
          TlsConfig.CERTIFICATE.name() + " and " + TlsConfig.KEY.name() + " must be set together");
    }
    if (isServer && config.keyFile().isEmpty()) {
      throw new IOException(
          TlsConfig.ENABLED.name()
              + " is true, but there is no certificate; set "
              + TlsConfig.CERTIFICATE.name()
              + " and "
              + TlsConfig.KEY.name()
              + ", or rss.security.identity.file");
    }
    return new TlsContexts(config, keys(config, nanoTime), trust(config, nanoTime), fastest);
  }

  private static ReloadedKeys keys(TlsConfig config, LongSupplier nanoTime) throws IOException {
    if (config.keyFile().isEmpty()) {
      return null;
    }
    Path certificate = config.certificateFile().orElseThrow();
    Path key = config.keyFile().get();
    Supplier<List<X509Certificate>> chain =
        read(TlsConfig.CERTIFICATE.name(), certificate, PemFiles::certificates, nanoTime);
    Supplier<java.security.PrivateKey> privateKey =
        read(TlsConfig.KEY.name(), key, PemFiles::key, nanoTime);
    if (!PemFiles.belongTogether(privateKey.get(), chain.get().get(0))) {
      throw new IOException(
          TlsConfig.KEY.name() + ": " + key + " is not the key of the certificate " + certificate);
    }
    return new ReloadedKeys(new Pairs(chain, privateKey));
  }

  /**
   * The newest matching pair of key and certificate. Files are replaced one after the other, so
   * both are compared.
   */
  private static final class Pairs implements Supplier<Pair> {
    private final Supplier<List<X509Certificate>> chain;
    private final Supplier<java.security.PrivateKey> key;
    private volatile Pair newest;

    private Pairs(Supplier<List<X509Certificate>> chain, Supplier<java.security.PrivateKey> key) {
      this.chain = chain;
      this.key = key;
      this.newest = new Pair(key.get(), chain.get());
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // Identical objects until a file is reloaded.
    public Pair get() {
      Pair before = newest;
      java.security.PrivateKey keyNow = key.get();
      List<X509Certificate> chainNow = chain.get();
      if (keyNow == before.key() && chainNow == before.chain()) {
        return before;
      }
      if (PemFiles.belongTogether(keyNow, chainNow.get(0))) {
        newest = new Pair(keyNow, chainNow);
      }
      return newest;
    }
  }

  private static ReloadedTrust trust(TlsConfig config, LongSupplier nanoTime) throws IOException {
    if (config.trustFile().isEmpty()) {
      X509ExtendedTrustManager ofRuntime = trustManager(null);
      return new ReloadedTrust(() -> ofRuntime);
    }
    return new ReloadedTrust(
        read(
            TlsConfig.TRUST.name(),
            config.trustFile().get(),
            text -> trustManager(PemFiles.certificates(text)),
            nanoTime));
  }

  private static <T> Supplier<T> read(
      String key, Path file, java.util.function.Function<String, T> parser, LongSupplier nanoTime)
      throws IOException {
    try {
      WatchedFile<T> watched =
          key.equals(TlsConfig.KEY.name())
              ? WatchedFile.openSecret(file, parser)
              : WatchedFile.open(file, parser);
      return watched.cached(nanoTime);
    } catch (IOException e) {
      throw new IOException(key + ": " + e.getMessage(), e);
    }
  }

  /**
   * @param authorities null: the authorities of the Java runtime
   */
  private static X509ExtendedTrustManager trustManager(List<X509Certificate> authorities) {
    try {
      KeyStore store = null;
      if (authorities != null) {
        store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (int i = 0; i < authorities.size(); i++) {
          store.setCertificateEntry("authority-" + i, authorities.get(i));
        }
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509ExtendedTrustManager extended) {
          return extended;
        }
      }
      throw new IllegalStateException("Java has no X.509 trust manager");
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException("invalid certificate authorities: " + e.getMessage(), e);
    }
  }

  /** Context of a gRPC server. */
  public SslContext grpcServer() {
    return build(
        SslContextBuilder.forServer(keys)
            .trustManager(trust)
            .clientAuth(
                switch (config.clientCertificates()) {
                  case NONE -> ClientAuth.NONE;
                  case OPTIONAL -> ClientAuth.OPTIONAL;
                  case REQUIRED -> ClientAuth.REQUIRE;
                })
            .applicationProtocolConfig(http2()),
        // BoringSSL does not accept client certificates with Ed25519 keys.
        requestsClientCertificates() ? SslProvider.JDK : ofServers);
  }

  /** Context of gRPC clients. */
  public SslContext grpcClient() {
    return build(client().applicationProtocolConfig(http2()), ofClients);
  }

  /** Context of the framed transport's server. */
  public SslContext dataServer() {
    return build(SslContextBuilder.forServer(keys), ofServers);
  }

  /** Context of the framed transport's clients. */
  public SslContext dataClient() {
    return build(client(), ofClients);
  }

  private SslContextBuilder client() {
    SslContextBuilder builder =
        SslContextBuilder.forClient().trustManager(trust).endpointIdentificationAlgorithm("HTTPS");
    return keys == null ? builder : builder.keyManager(keys);
  }

  /** Whether servers request certificates from clients. */
  public boolean requestsClientCertificates() {
    return config.clientCertificates() != TlsConfig.ClientCertificates.NONE;
  }

  /**
   * Context of an HTTP server.
   *
   * @param certificates whether clients are asked for a certificate; it is optional, because probes
   *     have none
   */
  public SslContext httpServer(boolean certificates) {
    return build(
        SslContextBuilder.forServer(keys)
            .trustManager(trust)
            .clientAuth(certificates ? ClientAuth.OPTIONAL : ClientAuth.NONE),
        SslProvider.JDK);
  }

  /** Context of HTTP clients. */
  public SSLContext https() {
    try {
      SSLContext context = SSLContext.getInstance(VERSION);
      context.init(new KeyManager[] {keys}, new TrustManager[] {trust}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(VERSION + " is part of every Java runtime", e);
    }
  }

  /**
   * Certificates in use: the own one, and those of the trust file. Without a trust file, the
   * authorities of the Java runtime are not listed.
   */
  public List<X509Certificate> certificates() {
    List<X509Certificate> used = new ArrayList<>();
    if (keys != null) {
      used.addAll(keys.chain());
    }
    if (config.trustFile().isPresent()) {
      used.addAll(List.of(trust.getAcceptedIssuers()));
    }
    return used;
  }

  /** Expected host name of all peers, if configured. */
  public Optional<String> peerName() {
    return config.peerName();
  }

  private static ApplicationProtocolConfig http2() {
    return new ApplicationProtocolConfig(
        Protocol.ALPN,
        SelectorFailureBehavior.NO_ADVERTISE,
        SelectedListenerFailureBehavior.ACCEPT,
        ApplicationProtocolNames.HTTP_2);
  }

  private static SslContext build(SslContextBuilder builder, SslProvider provider) {
    try {
      return builder.sslProvider(provider).protocols(VERSION).build();
    } catch (SSLException e) {
      throw new IllegalStateException(
          "internal error: no TLS context for valid keys and certificates", e);
    }
  }
}
