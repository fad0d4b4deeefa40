package io.sluice.cli.secure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.CliRun;
import io.sluice.common.auth.Users;
import io.sluice.common.tls.PemFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes of a directory that exists. */
class SecureChangesTest {
  @TempDir private Path scratch;
  private final SecureRun secure = new SecureRun();
  private Path directory;

  @BeforeEach
  void createDirectory() {
    directory = scratch.resolve("secure");
    run("init", directory, "--coordinators", "c1,c2", "--servers", "s1+10.0.0.7,s2");
  }

  private String run(Object... words) {
    CliRun run = secure.run(words);
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    return run.out();
  }

  private List<X509Certificate> trusted() throws Exception {
    return PemFiles.certificates(Files.readString(directory.resolve("authority.pem")));
  }

  private X509Certificate identity(String name) throws Exception {
    return SecureRun.certificate(directory.resolve(name + ".pem"));
  }

  @Test
  void oneMoreServer() throws Exception {
    String out = run("server", directory, "s3", "s4+10.0.0.9");
    identity("servers/s3").verify(trusted().get(0).getPublicKey());
    assertThat(SecureRun.hosts(identity("servers/s4"))).containsExactly("s4", "10.0.0.9");
    assertThat(out).contains("for host in s3 s4; do").doesNotContain("users", "coordinators/");
  }

  @Test
  void oneMoreCoordinator() throws Exception {
    String out = run("coordinator", directory, "c3");
    assertThat(identity("coordinators/c3").getSubjectX500Principal().getName())
        .contains("OU=sluice-coordinator");
    assertThat(out).contains("Add c3:19999 to rss.coordinator.quorum");
  }

  @Test
  void anIdentityIsNotReplaced() throws Exception {
    X509Certificate before = identity("servers/s1");
    CliRun run = secure.run("server", directory, "s3", "s1");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("servers/s1.pem exists already").hasLineCount(1);
    assertThat(identity("servers/s1")).isEqualTo(before);
    assertThat(directory.resolve("servers/s3.pem")).doesNotExist();
  }

  @Test
  void withoutTheKeyOfTheAuthorityOneLineNamesTheMissingFile() throws Exception {
    Files.delete(directory.resolve("authority-key.pem"));
    CliRun run = secure.run("server", directory, "s3");
    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.err())
        .contains("authority-key.pem: no such file; copy the private key")
        .hasLineCount(1);
  }

  @Test
  void aKeyFileThatIsNone() throws Exception {
    Files.writeString(directory.resolve("authority-key.pem"), "hello");
    CliRun run = secure.run("server", directory, "s3");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).startsWith(directory.resolve("authority-key.pem") + ": ").hasLineCount(1);
  }

  @Test
  void oneMoreUser() throws Exception {
    String out = run("user", directory, "etl", "user");
    String secret = Files.readString(directory.resolve("user-etl")).strip();
    assertThat(secret).hasSizeGreaterThan(40);
    assertThat(Files.readString(directory.resolve("users"))).contains("\netl user ");
    assertThat(Files.readString(directory.resolve("admins"))).doesNotContain("etl");
    assertThat(Files.readString(directory.resolve("user-etl.json")))
        .isEqualTo("{\"sluice.user.secret\": \"" + secret + "\"}\n");
    assertThat(out).doesNotContain(secret);
  }

  @Test
  void oneMoreAdminIsKnownToServers() throws Exception {
    run("user", directory, "svc+root@CORP", "admin");
    assertThat(Files.readString(directory.resolve("admins"))).contains("\nsvc+root@CORP admin ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jobs user | 1 | user jobs exists already",
        "a/b user | 2 | NAME \"a/b\": expected 1 to 128 of",
        "etl root | 2 | expected user, reader or admin, found \"root\""
      })
  void wrongUsers(String words, int code, String problem) {
    String[] parts = words.strip().split(" ");
    CliRun run = secure.run("user", directory, parts[0], parts[1]);
    assertThat(run.exitCode()).isEqualTo(code);
    assertThat(run.err()).contains(problem).hasLineCount(1);
  }

  @Test
  void aDirectoryOfAnythingElse() {
    CliRun run = secure.run("show", scratch);
    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.err())
        .isEqualTo(
            scratch.resolve("authority.pem")
                + ": no such file; create the directory with `sluice secure init "
                + scratch
                + "`\n");
  }

  @Test
  void showHasEveryCertificateAndUserAndNoSecret() throws Exception {
    Files.delete(directory.resolve("user-jobs"));
    String out = run("show", directory);
    assertThat(out)
        .containsPattern("authority.pem +CN=sluice authority [0-9a-f]{8} +2036-11-22 +3650")
        .containsPattern("servers/s1.pem +CN=s1,OU=sluice-server +s1 10.0.0.7 +2027-12-27 +397")
        .containsPattern("ops +admin +user-ops")
        .containsPattern("jobs +user +not here")
        .doesNotContain(Files.readString(directory.resolve("user-ops")).strip());
  }

  @Test
  void rotateRenewsEveryIdentityForTheSameHosts() throws Exception {
    PublicKey before = identity("servers/s1").getPublicKey();
    String out = run("rotate", directory, "--valid-days", "30");
    assertThat(identity("servers/s1").getPublicKey()).isNotEqualTo(before);
    assertThat(SecureRun.hosts(identity("servers/s1"))).containsExactly("s1", "10.0.0.7");
    identity("coordinators/c2").verify(trusted().get(0).getPublicKey());
    assertThat(trusted()).hasSize(1);
    // The authority and users stay as they are, so only identities are copied.
    assertThat(out).contains("servers/$host.pem").doesNotContain("authority.pem \"root", "admins");
  }

  @Test
  void theAuthorityIsReplacedInThreeSteps() throws Exception {
    X509Certificate old = trusted().get(0);
    X509Certificate signedByOld = identity("servers/s1");

    assertThat(run("rotate", directory, "--authority")).contains("Step 1 of 3");
    assertThat(trusted()).hasSize(2).startsWith(old);
    X509Certificate next = trusted().get(1);
    assertThat(identity("servers/s1")).isEqualTo(signedByOld);
    assertThat(run("show", directory)).contains("step 1 of 3 is done");
    run("server", directory, "between");
    identity("servers/between").verify(old.getPublicKey());

    assertThat(run("rotate", directory, "--authority")).contains("Step 2 of 3");
    assertThat(trusted()).containsExactly(old, next);
    identity("servers/s1").verify(next.getPublicKey());
    identity("servers/between").verify(next.getPublicKey());
    identity("coordinators/c1").verify(next.getPublicKey());
    run("server", directory, "after");
    identity("servers/after").verify(next.getPublicKey());

    assertThat(run("rotate", directory, "--authority")).contains("Step 3 of 3");
    assertThat(trusted()).containsExactly(next);
    assertThat(directory.resolve("authority-next-key.pem")).doesNotExist();
    assertThat(run("show", directory)).doesNotContain("Rotation");
  }

  @Test
  void anInterruptedFirstStepIsRepeated() throws Exception {
    // The key was written, the certificate not yet.
    String before = Files.readString(directory.resolve("authority.pem"));
    run("rotate", directory, "--authority");
    Files.writeString(directory.resolve("authority.pem"), before);
    assertThat(run("rotate", directory, "--authority")).contains("Step 1 of 3");
    assertThat(trusted()).hasSize(2);
  }

  @Test
  void anInterruptedSecondStepIsRepeated() throws Exception {
    run("rotate", directory, "--authority");
    String key = Files.readString(directory.resolve("authority-key.pem"));
    String nextKey = Files.readString(directory.resolve("authority-next-key.pem"));
    run("rotate", directory, "--authority");
    // As if the key had not been renamed.
    Files.writeString(directory.resolve("authority-key.pem"), key);
    Files.writeString(directory.resolve("authority-next-key.pem"), nextKey);
    assertThat(run("rotate", directory, "--authority")).contains("Step 2 of 3");
    identity("servers/s2").verify(trusted().get(1).getPublicKey());
  }

  @Test
  void secretsOfUsersAreReplacedInTwoSteps() throws Exception {
    String before = Files.readString(directory.resolve("users"));
    String secret = Files.readString(directory.resolve("user-jobs"));
    assertThat(run("rotate", directory, "--users")).contains("Step 1 of 2");
    assertThat(Files.readString(directory.resolve("user-jobs"))).isNotEqualTo(secret);
    String both = Files.readString(directory.resolve("users"));
    // As a coordinator parses it: both secrets have one salt.
    Users.parse(both);
    // The old line of each user is followed by the new one.
    assertThat(both.lines()).containsAll(before.lines().toList()).hasSize(5);
    assertThat(run("rotate", directory, "--users")).contains("Step 2 of 2");
    String after = Files.readString(directory.resolve("users"));
    assertThat(after.lines()).hasSize(3);
    assertThat(both.lines()).containsAll(after.lines().toList());
    assertThat(after.lines().skip(1)).doesNotContainAnyElementsOf(before.lines().skip(1).toList());
  }

  @Test
  void onKubernetesTheSecretsAreWrittenAgain() throws Exception {
    Path pods = scratch.resolve("pods");
    run("init", pods, "--kubernetes");
    String before = Files.readString(pods.resolve("kubernetes.yaml"));
    String out = run("server", pods, "sluice-server-3.sluice-server.shuffle.svc.cluster.local");
    assertThat(Files.readString(pods.resolve("kubernetes.yaml")))
        .isNotEqualTo(before)
        .contains("\"sluice-server-3.pem\"");
    assertThat(out)
        .contains(
            "kubectl -n shuffle apply --server-side -f " + pods.resolve("kubernetes.yaml"),
            "kubectl -n shuffle rollout restart statefulset/sluice-server");
    run("user", pods, "svc+ops@CORP", "admin");
    assertThat(Files.readString(pods.resolve("kubernetes.yaml")))
        .contains("\"user-svc_plus_ops_at_CORP\": ");
    CliRun wrong = secure.run("user", pods, "Etl", "user");
    assertThat(wrong.exitCode()).isEqualTo(2);
    assertThat(wrong.err()).contains("user \"Etl\": expected lower-case letters").hasLineCount(1);
  }
}
