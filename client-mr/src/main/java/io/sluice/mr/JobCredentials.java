package io.sluice.mr;

import io.sluice.client.SluiceClient;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.error.SluiceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;

/**
 * Secrets in a Hadoop job's credentials: the user's secret, from the submitting client to the
 * application master, and the application's credential, from the application master to its tasks.
 * Tasks do not receive the user's secret.
 */
public final class JobCredentials {
  /** Name of the user's secret, as given in {@code mapreduce.job.credentials.json}. */
  static final Text USER_SECRET = new Text("sluice.user.secret");

  private static final Text APPLICATION = new Text("sluice.application.credential");

  /** Marks a job without a credential on a cluster that requires one: its tasks cannot connect. */
  private static final byte[] NO_CREDENTIAL = {};

  private static final String SECRET_VARIABLE = "RSS_USER_SECRET";

  private JobCredentials() {}

  /**
   * The environment of an application master, including the user's secret if the job's credentials
   * contain it.
   *
   * @param environment environment of the process
   */
  public static Map<String, String> environment(
      Map<String, String> environment, Credentials ofJob) {
    Map<String, String> all = new HashMap<>(environment);
    byte[] secret = ofJob.getSecretKey(USER_SECRET);
    if (secret != null) {
      all.put(SECRET_VARIABLE, new String(secret, StandardCharsets.UTF_8));
    }
    return all;
  }

  /**
   * The credentials for a task's container.
   *
   * @param tokens credentials as serialized by Hadoop; null for none; its position is not changed
   * @param ofMaster the application master's credentials
   */
  public static ByteBuffer forTask(ByteBuffer tokens, ApplicationCredentials ofMaster)
      throws IOException {
    Credentials credentials = new Credentials();
    if (tokens != null) {
      byte[] bytes = new byte[tokens.remaining()];
      tokens.duplicate().get(bytes);
      credentials.readTokenStorageStream(new DataInputStream(new ByteArrayInputStream(bytes)));
    }
    credentials.removeSecretKey(USER_SECRET);
    Optional<ApplicationCredential> newest = ofMaster.newest();
    if (newest.isPresent()) {
      credentials.addSecretKey(APPLICATION, newest.get().toBytes());
    } else if (ofMaster.isRequired()) {
      credentials.addSecretKey(APPLICATION, NO_CREDENTIAL);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    credentials.writeTokenStorageToStream(new DataOutputStream(out));
    return ByteBuffer.wrap(out.toByteArray());
  }

  /**
   * Passes the application's credential to a task's client.
   *
   * @param ofTask credentials from {@link #forTask}
   */
  public static void passToClient(SluiceClient client, Credentials ofTask) throws SluiceException {
    byte[] bytes = ofTask.getSecretKey(APPLICATION);
    if (bytes == null) {
      return;
    }
    client.credentials().require();
    if (bytes.length > 0) {
      client.credentials().update(ApplicationCredential.fromBytes(bytes));
    }
  }
}
