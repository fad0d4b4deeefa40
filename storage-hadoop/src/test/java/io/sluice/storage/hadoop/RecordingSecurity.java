package io.sluice.storage.hadoop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** Records its calls, and fails on request. Confined to one thread. */
final class RecordingSecurity implements HadoopSecurity {
  final List<String> calls = new ArrayList<>();
  boolean failLogin;
  boolean failRenewal;

  @Override
  public void krb5Configuration(String file) {
    calls.add("krb5 " + file);
  }

  @Override
  public void configure(Configuration configuration) {
    calls.add("configure " + configuration.get("hadoop.security.authentication"));
  }

  @Override
  public void login(String principal, String keytab) throws IOException {
    calls.add("login " + principal + " " + keytab);
    if (failLogin) {
      throw new IOException("no key distribution centre");
    }
  }

  @Override
  public void renewIfNeeded() throws IOException {
    calls.add("renew");
    if (failRenewal) {
      throw new IOException("clock skew too great");
    }
  }
}
