package io.bulwark.house;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Each reference page equals the one that is generated from the code. {@code -Dreference.write=true} rewrites them. The
 * page of metrics is that of {@code MonitoringIT}.
 */
@NullMarked
class ReferenceTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void commandsPageIsGenerated() throws Exception {
        check("commands", CommandReference.page());
    }

    @Test
    void configurationPageIsGenerated() throws Exception {
        check("configuration", ConfigurationReference.page());
    }

    @Test
    void exitCodesPageIsGenerated() throws Exception {
        check("exit-codes", ErrorReference.exitCodes(ROOT));
    }

    @Test
    void errorsPageIsGenerated() throws Exception {
        check("errors", ErrorReference.errors(ROOT));
    }

    @Test
    void s3PageIsGenerated() throws Exception {
        check("s3", S3Reference.page(ROOT));
    }

    private static void check(String name, String text) throws IOException {
        ReferencePage.check(name, "ReferenceTest", text);
    }
}
