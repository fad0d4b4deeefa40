package io.sluice.demo.staging;

import java.nio.file.Path;
import java.util.Properties;

/**
 * What MapReduce jobs run on; all of it is there.
 *
 * @param jarList file that names the jars of Hadoop
 * @param hostJar the program around Hadoop's mini cluster
 * @param clientJar the plugin
 */
public record HadoopParts(Path jarList, Path hostJar, Path clientJar) {

  public static HadoopParts of(Properties system) throws DemoException {
    Path jarList = Installation.hadoopJars(system);
    Installation installation = Installation.of(system);
    return new HadoopParts(jarList, installation.yarnHostJar(), installation.mapReduceJar());
  }
}
