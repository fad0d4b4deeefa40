package io.sluice.demo.staging;

import java.nio.file.Path;
import java.util.Properties;

/**
 * Existing files that MapReduce jobs need.
 *
 * @param jarList file with the list of Hadoop's jars
 * @param hostJar jar of the mini cluster's process
 * @param clientJar jar of the MapReduce plugin
 */
public record HadoopParts(Path jarList, Path hostJar, Path clientJar) {

  public static HadoopParts of(Properties system) throws DemoException {
    Path jarList = Installation.hadoopJars(system);
    Installation installation = Installation.of(system);
    return new HadoopParts(jarList, installation.yarnHostJar(), installation.mapReduceJar());
  }
}
