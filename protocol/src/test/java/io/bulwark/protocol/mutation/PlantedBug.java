package io.bulwark.protocol.mutation;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One small change of one production source file, and the test that must fail with it.
 *
 * @param name says what is wrong then
 * @param file below {@code io/bulwark}, without {@code .java}
 * @param detector fails with the bug and passes without
 * @param right what stands in the file, exactly once; any white space counts as one blank
 * @param wrong what is put in its place
 */
public record PlantedBug(String name, String file, Detector detector, String right, String wrong) {
    private static final String PROTOCOL = "protocol/";

    /**
     * One in {@code protocol}.
     *
     * @param file below {@code io/bulwark/protocol}
     */
    public static PlantedBug in(String file, String name, Detector detector, String right, String wrong) {
        return new PlantedBug(name, PROTOCOL + file, detector, right, wrong);
    }

    public String className() {
        return "io.bulwark." + file.replace('/', '.');
    }

    /**
     * The source with the bug.
     *
     * @throws AssertionError unless what the bug replaces is there exactly once: the bug must follow the code
     */
    public String plantedIn(String source) {
        Pattern pattern = Pattern.compile(
                Stream.of(right.strip().split("\\s+")).map(Pattern::quote).collect(Collectors.joining("\\s+")));
        Matcher matcher = pattern.matcher(source);
        if (!matcher.find()) {
            throw new AssertionError(file + " has no longer what \"" + name + "\" replaces: " + right);
        }
        int start = matcher.start();
        int end = matcher.end();
        if (matcher.find()) {
            throw new AssertionError(file + " has more than once what \"" + name + "\" replaces: " + right);
        }
        return source.substring(0, start) + wrong + source.substring(end);
    }

    @Override
    public String toString() {
        return (file.startsWith(PROTOCOL) ? file.substring(PROTOCOL.length()) : file) + ": " + name;
    }
}
