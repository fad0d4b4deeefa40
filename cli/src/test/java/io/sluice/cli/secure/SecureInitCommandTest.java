package io.sluice.cli.secure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.CliRun;
import io.sluice.common.auth.ScramVerifier;
import io.sluice.common.auth.Users;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecureInitCommandTest {
  @TempDir private Path scratch;
  private final SecureRun secure = new SecureRun();

  private Path directory() {
    return scratch.resolve("secure");
  }

  private static String secret(Path directory, String user) throws Exception {
    return Files.readString(directory.resolve("user-" + user)).strip();
  }

  @Test
  void withoutOptionsEverythingForAClusterOnThisMachine() throws Exception {
    CliRun run = secure.run("init", directory());
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(SecureRun.files(directory()))
        .containsExactly(
            "admins",
            "authority-key.pem",
            "authority.pem",
            "coordinator.conf",
            "coordinators/localhost.pem",
            "mapred-site.xml",
            "server.conf",
            "servers/localhost.pem",
            "spark-defaults.conf",
            "user-jobs",
            "user-jobs.json",
            "user-ops",
            "users");
    assertThat(run.out()).contains("written  " + directory().resolve("authority-key.pem"));
    assertThat(run.out()).contains("  sluice demo --secure=" + directory());
    assertThat(Files.readString(directory().resolve("server.conf")))
        .contains(
            "rss.coordinator.quorum localhost:19999\n",
            "rss.security.identity.file " + directory().resolve("servers/localhost.pem") + "\n",
            "rss.security.users.file " + directory().resolve("admins") + "\n");
    assertThat(Files.readString(directory().resolve("spark-defaults.conf")))
        .contains(
            "spark.rss.security.user.secret.file " + directory().resolve("user-jobs") + "\n",
            "spark.rss.security.tls.trust.file " + directory().resolve("authority.pem") + "\n");
  }

  @Test
  void onlyTheOwnerReadsSecrets() throws Exception {
    secure.run("init", directory());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
        .isEqualTo("rwx------");
    for (String name : SecureRun.files(directory())) {
      boolean isPublic =
          List.of(
                  "authority.pem",
                  "coordinator.conf",
                  "server.conf",
                  "spark-defaults.conf",
                  "mapred-site.xml")
              .contains(name);
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(directory().resolve(name))))
          .as(name)
          .isEqualTo(isPublic ? "rw-r--r--" : "rw-------");
    }
  }

  @Test
  void noSecretIsPrinted() throws Exception {
    CliRun run = secure.run("init", directory());
    assertThat(run.out())
        .doesNotContain(secret(directory(), "ops"), secret(directory(), "jobs"), "PRIVATE KEY");
    assertThat(Files.readString(directory().resolve("users")))
        .doesNotContain(secret(directory(), "ops"), secret(directory(), "jobs"));
  }

  @Test
  void identitiesProveTheirKindAndHosts() throws Exception {
    secure.run(
        "init",
        directory(),
        "--coordinators",
        "c1,c2+10.0.0.2",
        "--servers",
        "s1.example.com+[2001:db8::1]");
    X509Certificate authority = SecureRun.certificate(directory().resolve("authority.pem"));
    X509Certificate second = SecureRun.certificate(directory().resolve("coordinators/c2.pem"));
    X509Certificate server =
        SecureRun.certificate(directory().resolve("servers/s1.example.com.pem"));
    second.verify(authority.getPublicKey());
    server.verify(authority.getPublicKey());
    assertThat(second.getSubjectX500Principal().getName())
        .contains("OU=sluice-coordinator", "CN=c2");
    assertThat(server.getSubjectX500Principal().getName()).contains("OU=sluice-server", "CN=s1");
    assertThat(SecureRun.hosts(second)).containsExactly("c2", "10.0.0.2");
    assertThat(SecureRun.hosts(server)).hasSize(2).contains("s1.example.com");
    assertThat(Duration.between(SecureRun.NOW, server.getNotAfter().toInstant()).toDays())
        .isEqualTo(397);
    assertThat(Duration.between(SecureRun.NOW, authority.getNotAfter().toInstant()).toDays())
        .isEqualTo(3650);
  }

  @Test
  void hostsGetCommandsThatCopyOnlyTheirFiles() throws Exception {
    CliRun run = secure.run("init", directory(), "--coordinators", "c1,c2", "--servers", "s1,s2");
    assertThat(run.out())
        .contains("for host in c1 c2; do", "for host in s1 s2; do")
        .contains(
            "scp -p "
                + directory()
                + "/servers/$host.pem \"root@$host:/etc/sluice/secrets/server.pem\"");
    // Servers get neither secrets nor verifiers of users who run jobs.
    assertThat(run.out())
        .contains(directory() + "/authority.pem " + directory() + "/admins \"root@$host");
    assertThat(Files.readString(directory().resolve("admins")))
        .contains("ops admin ")
        .doesNotContain("jobs");
    assertThat(Files.readString(directory().resolve("coordinator.conf")))
        .contains("rss.coordinator.quorum c1:19999,c2:19999\n")
        .contains("rss.security.identity.file /etc/sluice/secrets/coordinator.pem\n");
    assertThat(Files.readString(directory().resolve("mapred-site.xml")))
        .contains("<value>c1:19999,c2:19999</value>", "/etc/spark/sluice/user-jobs.json");
  }

  @Test
  void secretsForTheHelmChart() throws Exception {
    CliRun run =
        secure.run(
            "init",
            directory(),
            "--kubernetes",
            "--release",
            "big",
            "--namespace",
            "rss",
            "--server-replicas",
            4);
    assertThat(run.err()).isEmpty();
    Map<String, Map<String, String>> secrets = secrets("kubernetes.yaml");
    assertThat(secrets)
        .containsOnlyKeys("big-sluice-coordinator-security", "big-sluice-server-security");
    assertThat(secrets.get("big-sluice-coordinator-security"))
        .containsOnlyKeys(
            "authority.pem",
            "users",
            "user-ops",
            "big-sluice-coordinator-0.pem",
            "big-sluice-coordinator-1.pem",
            "big-sluice-coordinator-2.pem");
    assertThat(secrets.get("big-sluice-server-security"))
        .containsOnlyKeys(
            "authority.pem",
            "admins",
            "big-sluice-server-0.pem",
            "big-sluice-server-1.pem",
            "big-sluice-server-2.pem",
            "big-sluice-server-3.pem");
    String pod = "big-sluice-server-3.big-sluice-server.rss.svc.cluster.local";
    Path identity = directory().resolve("servers/" + pod + ".pem");
    assertThat(secrets.get("big-sluice-server-security").get("big-sluice-server-3.pem"))
        .isEqualTo(Files.readString(identity));
    assertThat(SecureRun.hosts(SecureRun.certificate(identity)))
        .containsExactly(pod, "metrics.big-sluice-coordinator.rss.svc.cluster.local");
    assertThat(secrets("kubernetes-jobs.yaml").get("big-sluice-authority"))
        .containsOnlyKeys("authority.pem");
    assertThat(secrets("kubernetes-jobs.yaml").get("big-sluice-user-jobs"))
        .containsExactly(
            Map.entry("user-jobs", Files.readString(directory().resolve("user-jobs"))));
    assertThat(run.out())
        .contains(
            "kubectl -n rss apply --server-side -f " + directory().resolve("kubernetes.yaml"));
  }

  /** Data of the Secrets in a file, by name. */
  private Map<String, Map<String, String>> secrets(String file) throws Exception {
    Map<String, Map<String, String>> found = new TreeMap<>();
    Map<String, String> data = null;
    for (String line : Files.readAllLines(directory().resolve(file))) {
      if (line.startsWith("metadata: {name: ")) {
        data = new TreeMap<>();
        found.put(line.substring("metadata: {name: ".length(), line.length() - 1), data);
      } else if (line.startsWith("  \"")) {
        String[] pair = line.strip().split(": ");
        data.put(
            pair[0].replace("\"", ""),
            new String(Base64.getDecoder().decode(pair[1]), StandardCharsets.UTF_8));
      }
    }
    return found;
  }

  @Test
  void nothingIsOverwritten() throws Exception {
    secure.run("init", directory());
    byte[] before = Files.readAllBytes(directory().resolve("authority-key.pem"));
    CliRun again = secure.run("init", directory());
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err())
        .startsWith(directory() + " is not empty, and nothing in it is replaced")
        .hasLineCount(1);
    assertThat(Files.readAllBytes(directory().resolve("authority-key.pem"))).isEqualTo(before);
  }

  @Test
  void aFailureLeavesNothing() throws Exception {
    // 33 hosts are more than a certificate can have.
    String hosts =
        String.join("+", Stream.iterate(1, i -> i + 1).limit(33).map(i -> "h" + i).toList());
    CliRun run = secure.run("init", directory(), "--coordinators", "c", "--servers", hosts);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).hasLineCount(1).contains("33 hosts");
    assertThat(scratch).isEmptyDirectory();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--coordinators c1 | --coordinators and --servers: expected both",
        "--coordinators c/1 --servers s | \"c/1\": expected a host name or address",
        "--coordinators c1 --servers fe80::1 | link-local",
        "--valid-days 0 | --valid-days 0: expected 1 to 3650",
        "--valid-days x | Invalid value for option '--valid-days'",
        "--kubernetes --servers s | --kubernetes: --coordinators and --servers are not possible",
        "--kubernetes --server-replicas 0 | --server-replicas 0: expected 1 to 500",
        "--release x | Missing required argument(s): --kubernetes"
      })
  void wrongOptions(String options, String problem) {
    Object[] words =
        Stream.concat(
                Stream.of("init", directory()), Stream.of((Object[]) options.strip().split(" ")))
            .toArray();
    CliRun run = secure.run(words);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains(problem.strip()).hasLineCount(1);
    assertThat(scratch).isEmptyDirectory();
  }

  @Test
  void aFileInPlaceOfTheDirectory() throws Exception {
    Files.createFile(directory());
    CliRun run = secure.run("init", directory());
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).isEqualTo(directory() + " is not a directory\n");
  }

  @Test
  void verifiersAreThoseOfTheSecrets() throws Exception {
    secure.run("init", directory());
    // Parses as a coordinator does.
    Users.parse(Files.readString(directory().resolve("users")));
    for (String user : List.of("ops", "jobs")) {
      String verifier = verifier(directory().resolve("users"), user);
      assertThat(ScramVerifier.parse(verifier).ofSecret(secret(directory(), user)).text())
          .isEqualTo(verifier);
    }
  }

  private static String verifier(Path users, String user) throws Exception {
    return Files.readAllLines(users).stream()
        .filter(line -> line.startsWith(user + " "))
        .map(line -> line.split(" ", 3)[2])
        .findFirst()
        .orElseThrow();
  }
}
