package io.sluice.storage.hadoop;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** Calls of Hadoop's login API, in any order. */
interface HadoopSecurity {
  /** Sets the Kerberos configuration file of the JVM, instead of the system's file. */
  void krb5Configuration(String file);

  /** Sets Hadoop's security configuration. */
  void configure(Configuration configuration);

  /** Logs this process in. */
  void login(String principal, String keytab) throws IOException;

  /** Logs in again if most of the ticket's lifetime is over. */
  void renewIfNeeded() throws IOException;
}
