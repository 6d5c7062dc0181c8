/* A shared library that is no plug-in. */
int hilo_not_a_plugin(void);
int hilo_not_a_plugin(void) { return 0; }
