package io.sluice.storage.hadoop;

import io.sluice.server.remote.spi.KerberosSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A login from a keytab and the thread that renews its ticket. A failed renewal is retried; it is
 * logged once until a renewal succeeds.
 */
final class KerberosLogin implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KerberosLogin.class);

  private final HadoopSecurity security;
  private final ScheduledExecutorService thread;
  private boolean failing;

  private KerberosLogin(HadoopSecurity security, ScheduledExecutorService thread) {
    this.security = security;
    this.thread = thread;
  }

  /**
   * Logs in.
   *
   * @throws IOException with a one-line message
   */
  static KerberosLogin begin(
      KerberosSettings settings, Configuration configuration, HadoopSecurity security)
      throws IOException {
    KerberosLogin login = logIn(settings, configuration, security);
    // Cancelled with its executor.
    ScheduledFuture<?> unused =
        login.thread.scheduleWithFixedDelay(
            login::renew, settings.reloginMs(), settings.reloginMs(), TimeUnit.MILLISECONDS);
    return login;
  }

  /** Logs in without starting renewals; the caller calls {@link #renew}. */
  static KerberosLogin logIn(
      KerberosSettings settings, Configuration configuration, HadoopSecurity security)
      throws IOException {
    requireFile("rss.security.hadoop.kerberos.keytab.file", settings.keytab());
    if (settings.krb5Configuration().isPresent()) {
      Path file = settings.krb5Configuration().get();
      requireFile("rss.security.hadoop.kerberos.krb5-conf.file", file);
      security.krb5Configuration(file.toString());
    }
    configuration.set("hadoop.security.authentication", "kerberos");
    security.configure(configuration);
    try {
      security.login(settings.principal(), settings.keytab().toString());
    } catch (IOException e) {
      throw HadoopFailure.failure(
          "Kerberos login failed, principal="
              + settings.principal()
              + " keytab="
              + settings.keytab(),
          e);
    }
    LOG.info(
        "logged in to Kerberos principal={} keytab={}", settings.principal(), settings.keytab());
    ScheduledThreadPoolExecutor thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread renewer = new Thread(task, "kerberos-renewer");
              renewer.setDaemon(true);
              return renewer;
            });
    return new KerberosLogin(security, thread);
  }

  /** Renews the ticket if it is due. */
  synchronized void renew() {
    try {
      security.renewIfNeeded();
      if (failing) {
        LOG.info("Kerberos ticket renewed after earlier failures");
      }
      failing = false;
    } catch (IOException e) {
      if (!failing) {
        LOG.warn("cannot renew the Kerberos ticket, will retry reason=\"{}\"", HadoopFailure.of(e));
      }
      failing = true;
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }

  private static void requireFile(String key, Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException(
          key + ": " + file + " is not readable; check the path and its permissions");
    }
  }
}
