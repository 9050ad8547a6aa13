package org.apache.doris.flink.jni;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * The connector in a class loader of its own, as Flink loads a job's jar: its classes and resources
 * come from the jar, everything else (Flink, slf4j) from the parent.
 */
final class IsolatedConnector extends URLClassLoader {

    /**
     * Loads nothing yet.
     *
     * @param first where to look before the jar
     */
    IsolatedConnector(URL... first) throws MalformedURLException {
        super(urls(first), new WithoutConnector(IsolatedConnector.class.getClassLoader()));
    }

    private static URL[] urls(URL... first) throws MalformedURLException {
        List<URL> urls = new ArrayList<>(List.of(first));
        String jar = System.getProperty("doris.connector.jar");
        urls.add(
                jar == null
                        ? NativeLibrary.class.getProtectionDomain().getCodeSource().getLocation()
                        : Paths.get(jar).toUri().toURL());
        // The probes of the tests are loaded with the connector.
        urls.add(IsolatedConnector.class.getProtectionDomain().getCodeSource().getLocation());
        return urls.toArray(new URL[0]);
    }

    /** {@code NativeLibrary.load} inside; throws what it throws. */
    void loadLibrary(String path) throws Exception {
        invoke(NativeLibrary.class.getName(), "load", new Class<?>[] {String.class}, path);
    }

    /** A public static method inside; throws what it throws. */
    Object invoke(String className, String method, Class<?>[] types, Object... arguments)
            throws Exception {
        try {
            return loadClass(className).getMethod(method, types).invoke(null, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception) {
                throw (Exception) e.getCause();
            }
            throw e;
        }
    }

    /** The application's class loader as if the connector were not on its class path. */
    private static final class WithoutConnector extends ClassLoader {
        WithoutConnector(ClassLoader parent) {
            super(parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("org.apache.doris.flink.")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }

        @Override
        public URL getResource(String name) {
            return isConnectors(name) ? null : super.getResource(name);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return isConnectors(name) ? Collections.emptyEnumeration() : super.getResources(name);
        }

        private static boolean isConnectors(String name) {
            return name.startsWith("native/") || name.startsWith("org/apache/doris/");
        }
    }
}
