package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The optional jar with BoringSSL beside the jar of a plugin. */
@EnabledOnOs(OS.LINUX)
class BoringSslJarTest {
  private static final String PROVIDER = "io.sluice.shaded.io.netty.handler.ssl.OpenSsl";

  @Test
  void aPluginLoadsTheLibraryOfTheJar() throws Exception {
    assertThat(isAvailable(SparkApplication.clientJar(), SparkVersion.boringSslJar())).isTrue();
  }

  @Test
  void aPluginWithoutTheJarUsesNone() throws Exception {
    assertThat(isAvailable(SparkApplication.clientJar())).isFalse();
  }

  private static boolean isAvailable(Path... jars)
      throws IOException, ReflectiveOperationException {
    URL[] urls = new URL[jars.length];
    for (int i = 0; i < jars.length; i++) {
      urls[i] = jars[i].toUri().toURL();
    }
    try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
      return (boolean) Class.forName(PROVIDER, true, loader).getMethod("isAvailable").invoke(null);
    }
  }
}
