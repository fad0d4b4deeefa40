package io.sluice.storage.hadoop;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;

/** Hadoop's {@code UserGroupInformation}, with one login per class loader. */
final class UserGroupSecurity implements HadoopSecurity {
  @Override
  public void krb5Configuration(String file) {
    System.setProperty("java.security.krb5.conf", file);
  }

  @Override
  public void configure(Configuration configuration) {
    UserGroupInformation.setConfiguration(configuration);
  }

  @Override
  public void login(String principal, String keytab) throws IOException {
    UserGroupInformation.loginUserFromKeytab(principal, keytab);
  }

  @Override
  public void renewIfNeeded() throws IOException {
    UserGroupInformation.getLoginUser().checkTGTAndReloginFromKeytab();
  }
}
