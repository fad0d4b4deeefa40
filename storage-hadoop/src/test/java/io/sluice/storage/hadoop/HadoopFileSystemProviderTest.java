package io.sluice.storage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.remote.RemoteEnvironment;
import io.sluice.server.remote.RemoteFileSystems;
import io.sluice.server.remote.spi.KerberosSettings;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HadoopFileSystemProviderTest {
  @TempDir private Path directory;

  @Test
  void worksInASeparateClassLoader() throws IOException {
    RemoteEnvironment environment =
        RemoteEnvironment.of(
            Optional.of(System.getProperty("java.class.path")), Map.of(), directory.toString());
    ClassLoader outer = Thread.currentThread().getContextClassLoader();
    try (RemoteFileSystem files = RemoteFileSystems.of(environment).open(settings("file:"))) {
      assertThat(files.getClass().getClassLoader())
          .isSameAs(RemoteFileSystems.class.getClassLoader());
      try (RemoteOutput output = files.create("app/server/a.run")) {
        // Objects created inside the loader are wrapped, like the file system.
        assertThat(output.getClass().getClassLoader())
            .isSameAs(RemoteFileSystems.class.getClassLoader());
        output.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        output.complete();
      }
    }
    assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(outer);
    assertThat(directory.resolve("app/server/a.run")).hasBinaryContent(new byte[] {1, 2, 3});
  }

  @Test
  void reportsThatHadoopIsMissing() throws IOException {
    // Only the classes of this module, without Hadoop's jars.
    String own =
        Path.of(
                HadoopFileSystemProvider.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .getPath())
            .toString();
    RemoteEnvironment environment =
        new RemoteEnvironment(
            Optional.empty(),
            Optional.of(own + ":/no/such/dir/*"),
            Optional.empty(),
            Optional.empty());
    assertThatThrownBy(() -> RemoteFileSystems.of(environment).open(settings("file:")))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "a class that the remote file system needs is missing from HADOOP_CLASSPATH " + own)
        .hasMessageContaining("org/apache/hadoop/")
        .hasMessageNotContaining("\n");
  }

  @Test
  void reportsAnUnknownScheme() {
    assertThatThrownBy(() -> new HadoopFileSystemProvider().open(settings("nosuch://host")))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot open nosuch://host" + directory)
        .hasMessageNotContaining("\n");
  }

  @Test
  void readsHadoopsConfigurationDirectoryAndLetsPropertiesOverrideIt() throws IOException {
    Path configuration = Files.createDirectory(directory.resolve("conf"));
    Files.writeString(
        configuration.resolve("core-site.xml"),
        "<configuration><property><name>fs.objects.impl</name><value>"
            + ObjectStore.class.getName()
            + "</value></property></configuration>");
    RemoteSettings settings =
        new RemoteSettings(
            "objects:" + directory.resolve("data"),
            Optional.of(configuration),
            Map.of(),
            Optional.empty());
    try (RemoteFileSystem files = new HadoopFileSystemProvider().open(settings)) {
      assertThat(files.base()).isEqualTo("objects:" + directory.resolve("data"));
    }
    RemoteSettings overridden =
        new RemoteSettings(
            settings.base(),
            settings.configurationDirectory(),
            Map.of("fs.objects.impl", "no.such.Class"),
            Optional.empty());
    assertThatThrownBy(() -> new HadoopFileSystemProvider().open(overridden))
        .hasMessageContaining("no.such.Class");
    RemoteSettings missing =
        new RemoteSettings(
            settings.base(), Optional.of(directory.resolve("none")), Map.of(), Optional.empty());
    assertThatThrownBy(() -> new HadoopFileSystemProvider().open(missing))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("configuration directory " + directory.resolve("none"));
  }

  @Test
  void logsInBeforeItOpensAnything() throws IOException {
    RecordingSecurity security = new RecordingSecurity();
    security.failLogin = true;
    Path keytab = Files.writeString(directory.resolve("sluice.keytab"), "k");
    RemoteSettings settings =
        new RemoteSettings(
            "nosuch://host/",
            Optional.empty(),
            Map.of(),
            Optional.of(new KerberosSettings("sluice@REALM", keytab, Optional.empty(), 1000)));
    assertThatThrownBy(() -> new HadoopFileSystemProvider(security).open(settings))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "cannot open nosuch://host/: IOException: Kerberos login failed, principal=sluice@REALM"
                + " keytab="
                + keytab
                + ": IOException: no key distribution centre");
    assertThat(security.calls)
        .containsExactly("configure kerberos", "login sluice@REALM " + keytab);
  }

  private RemoteSettings settings(String scheme) {
    return new RemoteSettings(scheme + directory, Optional.empty(), Map.of(), Optional.empty());
  }
}
