package io.bulwark.appliance.supervisor;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.transport.identity.Pkcs11Token;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Files from which a replica is started. The release is the same at all replicas, and operators allow it. Files that
 * differ between replicas, or never change, must stay as they were when the supervisor started. The role file names the
 * replica's group, and the genesis has the group's keys. The library of a device that keeps its key is code, too.
 *
 * @param identity file of the replica's key, or the device that has it
 */
public record Installation(Release release, List<Path> files, Optional<Path> identity) {
    private static final String ABSENT = "";

    public Installation {
        files = List.copyOf(files);
    }

    /** Returns the installation of a replica with this role file. */
    public static Installation of(Release release, Path role, ChannelConfig channels) {
        List<Path> files = new ArrayList<>(List.of(role));
        Optional<Path> identity = Optional.empty();
        if (channels instanceof ChannelConfig.Tls tls) {
            files.add(tls.genesis());
            identity = Optional.of(tls.identity());
        }
        return new Installation(release, files, identity);
    }

    /** Returns the current digests of the files by readable name; empty for a missing file. */
    Map<String, String> marks() {
        Map<String, String> marks = new TreeMap<>();
        files.forEach(file -> marks.put(file.toString(), mark(file)));
        identity.ifPresent(file -> marks.put("the device library that " + file + " names", libraryOf(file)));
        return marks;
    }

    /** A key in the file itself is no code; a device may be given another key. */
    private static String libraryOf(Path identity) {
        try {
            Path module = Pkcs11Token.load(identity).module();
            return module + " " + mark(module);
        } catch (IOException e) {
            return ABSENT;
        }
    }

    private static String mark(Path file) {
        try {
            return Files.isRegularFile(file) ? HexFormat.of().formatHex(Release.digest(file)) : ABSENT;
        } catch (IOException e) {
            return ABSENT;
        }
    }
}
