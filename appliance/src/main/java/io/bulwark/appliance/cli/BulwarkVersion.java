package io.bulwark.appliance.cli;

import picocli.CommandLine.IVersionProvider;

/** The version from the jar's manifest. */
final class BulwarkVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = BulwarkVersion.class.getPackage().getImplementationVersion();
        return new String[] {
            "bulwark " + (version == null ? "(development)" : version),
            "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
        };
    }
}
