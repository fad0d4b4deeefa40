package io.sluice.storage.hadoop;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** What a login asks of Hadoop: the calls, and nothing of their order. */
interface HadoopSecurity {
  /** Lets the JVM's Kerberos read this file in place of the system's. */
  void krb5Configuration(String file);

  /** Lets Hadoop's users be what the configuration says. */
  void configure(Configuration configuration);

  /** Logs this process in. */
  void login(String principal, String keytab) throws IOException;

  /** Logs in again if most of the ticket's life is over. */
  void renewIfNeeded() throws IOException;
}
